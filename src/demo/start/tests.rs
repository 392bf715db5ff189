use super::*;

#[test]
fn the_embedded_configuration_is_whole() {
    let address: SocketAddr = "127.0.0.1:1".parse().unwrap();
    let stubs = Stubs { primary: address, fallback: address };
    let config = config(&stubs, Path::new("/home/demo/.sanctum")).unwrap();
    assert_eq!(config.routes.first().unwrap().chain.len(), 2);
}
