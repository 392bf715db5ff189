use super::*;

#[tokio::test]
async fn stop_ends_what_listens_and_wait_sees_the_end() {
    let tasks = Tasks::new();
    let token = tasks.token();
    let task = tasks.spawn(async move { token.cancelled().await });
    assert_eq!(tasks.len(), 1);
    tasks.stop();
    tasks.wait().await;
    assert!(tasks.is_empty());
    task.await.unwrap();
}
