/// placeholder
final class Path {}
final class TCPConversation {}
