use super::{act as act_with_budget, *};

fn act(m: &Moment) -> Action {
    act_with_budget(m, || true)
}

fn moment(class: Class) -> Moment {
    Moment {
        class,
        attempts_on_seat: 1,
        max_attempts: 2,
        remaining: Duration::from_secs(60),
        retry_after: None,
        should_retry: None,
        hopeless: false,
        backoff: Duration::from_millis(250),
        jitter: 1.0,
        on_seat_rejected: OnSeatRejected::Fail,
        callers_key: false,
    }
}

#[test]
fn every_class_that_an_attempt_can_have_has_one_rule() {
    for row in crate::route::table::ROWS {
        let n = RULES.iter().filter(|r| r.class == row.class).count();
        assert_eq!(n, usize::from(row.class != Class::Cancelled), "{}", row.class.word());
    }
}

#[test]
fn transient_classes_are_tried_once_more_and_then_fall_back() {
    for class in
        [Class::RateLimited, Class::Overloaded, Class::ServerError, Class::Network, Class::BadResponse]
    {
        assert_eq!(act(&moment(class)), Action::Retry(Duration::from_millis(250)), "{}", class.word());
        assert_eq!(act(&Moment { attempts_on_seat: 2, ..moment(class) }), Action::FallBack);
        assert_eq!(act(&Moment { max_attempts: 1, ..moment(class) }), Action::FallBack);
        assert_eq!(act(&Moment { should_retry: Some(false), ..moment(class) }), Action::FallBack);
        assert_eq!(act(&Moment { hopeless: true, ..moment(class) }), Action::FallBack);
    }
}

#[test]
fn a_wait_that_does_not_fit_is_not_waited() {
    let asked = |s| Moment { retry_after: Some(Duration::from_secs(s)), ..moment(Class::RateLimited) };
    assert_eq!(act(&asked(59)), Action::Retry(Duration::from_secs(59)));
    assert_eq!(act(&asked(60)), Action::FallBack);
    let short = Moment { remaining: Duration::from_millis(200), ..moment(Class::ServerError) };
    assert_eq!(act(&short), Action::FallBack);
}

#[test]
fn what_fails_the_same_way_everywhere_is_passed_on() {
    assert_eq!(act(&moment(Class::ClientError)), Action::PassOn);
    assert_eq!(act(&moment(Class::ContentPolicy)), Action::PassOn);
    assert_eq!(act(&moment(Class::ContextLength)), Action::Larger);
    assert_eq!(act(&moment(Class::Deadline)), Action::Fail);
}

#[test]
fn a_slow_or_spent_seat_is_never_tried_again() {
    for class in [Class::TtfbTimeout, Class::SpendCap] {
        assert_eq!(act(&moment(class)), Action::FallBack);
    }
    let told = Moment { should_retry: Some(true), ..moment(Class::SpendCap) };
    assert_eq!(act(&told), Action::FallBack);
}

#[test]
fn a_rejected_seat_follows_the_route_and_a_callers_key_is_the_callers() {
    assert_eq!(act(&moment(Class::Auth)), Action::Fail);
    let fall = Moment { on_seat_rejected: OnSeatRejected::FallBack, ..moment(Class::Auth) };
    assert_eq!(act(&fall), Action::FallBack);
    assert_eq!(act(&Moment { callers_key: true, ..fall }), Action::PassOn);
}

#[test]
fn backoff_doubles_up_to_its_cap_with_full_jitter() {
    let later = |n| Moment { attempts_on_seat: n, max_attempts: 99, ..moment(Class::ServerError) };
    assert_eq!(act(&later(3)), Action::Retry(Duration::from_secs(1)));
    assert_eq!(act(&later(30)), Action::Retry(Duration::from_secs(8)));
    assert_eq!(act(&Moment { jitter: 0.0, ..later(3) }), Action::Retry(Duration::ZERO));
}

#[test]
fn a_seat_rests_as_long_as_it_asked_for_when_nobody_waits_for_it() {
    let asked = Some(Duration::from_secs(30));
    let waits = Action::Retry(Duration::from_secs(30));
    assert_eq!(rest_by_hint(Class::RateLimited, asked, Action::FallBack), asked);
    assert_eq!(rest_by_hint(Class::Overloaded, asked, Action::FallBack), asked);
    assert_eq!(rest_by_hint(Class::RateLimited, asked, waits), None);
    assert_eq!(rest_by_hint(Class::RateLimited, None, Action::FallBack), None);
    assert_eq!(rest_by_hint(Class::ClientError, asked, Action::PassOn), None);
}

#[test]
fn a_spent_budget_leaves_what_follows_to_the_table() {
    let spent = |m: &Moment| act_with_budget(m, || false);
    for class in Class::ALL {
        let told = Moment { should_retry: Some(true), ..moment(class) };
        let never = Moment { should_retry: Some(false), ..moment(class) };
        assert_eq!(spent(&told), act(&never), "{}", class.word());
    }
    let told = |class| Moment { should_retry: Some(true), ..moment(class) };
    assert_eq!(spent(&told(Class::ClientError)), Action::PassOn);
    assert_eq!(spent(&told(Class::Auth)), Action::Fail);
    assert_eq!(spent(&told(Class::ContextLength)), Action::Larger);
}

#[test]
fn the_budget_is_not_touched_where_nothing_is_repeated() {
    for m in [moment(Class::ClientError), Moment { max_attempts: 1, ..moment(Class::ServerError) }] {
        assert!(!matches!(act_with_budget(&m, || panic!("asked for a repeat")), Action::Retry(_)));
    }
}
