use std::cell::RefCell;
use std::rc::Rc;

use super::*;

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn printed(color: bool, print: impl FnOnce(&mut Printer)) -> (String, String) {
    let (out, err) = (Shared::default(), Shared::default());
    print(&mut Printer { out: Box::new(out.clone()), err: Box::new(err.clone()), err_color: color });
    let text = |shared: Shared| String::from_utf8(shared.0.take()).unwrap();
    (text(out), text(err))
}

#[test]
fn answers_and_the_rest_do_not_mix() {
    let (out, err) = printed(false, |p| {
        p.json(&serde_json::json!({"a": 1})).unwrap();
        p.err("hint");
        p.failure(&anyhow::anyhow!("inner").context("outer"));
    });
    assert_eq!(out, "{\n  \"a\": 1\n}\n");
    assert_eq!(err, "hint\nerror: outer: inner\n");
}

#[test]
fn colour_only_where_wanted() {
    let (_, err) = printed(true, |p| p.failure(&anyhow::anyhow!("x")));
    assert_eq!(err, "\u{1b}[1;31merror:\u{1b}[0m x\n");
    let (_, err) = printed(false, |p| p.failure(&anyhow::anyhow!("x")));
    assert_eq!(err, "error: x\n");
}

#[test]
fn a_broken_pipe_is_known_under_context() {
    let error = anyhow::Error::new(io::Error::from(io::ErrorKind::BrokenPipe)).context("printing");
    assert!(is_broken_pipe(&error));
    assert!(!is_broken_pipe(&anyhow::anyhow!("x")));
}
