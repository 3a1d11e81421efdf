"""A WebSocket client of a few lines (RFC 6455), for tests: the standard library has none."""
import base64
import json
import os
import socket
import struct


class Refused(Exception):
    """The server answered with another status than 101; the status is the argument."""


class WebSocket:
    """An open connection. `origin` None leaves the header out."""

    def __init__(self, port, target, origin=None, host=None, timeout=30):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        lines = [f"GET {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Version: 13"]
        if origin is not None:
            lines.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            part = self.socket.recv(65536)
            if not part:
                self.socket.close()
                raise Refused(0)
            self.rest += part
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        status = int(head.split()[1])
        if status != 101:
            self.socket.close()
            raise Refused(status)

    def _take(self, count):
        while len(self.rest) < count:
            part = self.socket.recv(1 << 20)
            if not part:
                raise ConnectionError("the server closed the connection")
            self.rest += part
        out, self.rest = self.rest[:count], self.rest[count:]
        return out

    def receive(self):
        """The next message: text or bytes."""
        message, kind = b"", 0
        while True:
            first, second = self._take(2)
            length = second & 127
            if length == 126:
                length = struct.unpack(">H", self._take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._take(8))[0]
            body = self._take(length)
            opcode = first & 15
            if opcode == 8:
                raise ConnectionError("the server said goodbye")
            if opcode == 9:
                self._frame(10, body)
                continue
            if opcode == 10:
                continue
            kind = opcode or kind
            message += body
            if first & 128:
                return message.decode() if kind == 1 else message

    def _frame(self, opcode, body):
        mask = os.urandom(4)
        length = len(body)
        head = bytes([128 | opcode]) + (bytes([128 | length]) if length < 126 else bytes([254]) + struct.pack(">H", length) if length < 65536
                                        else bytes([255]) + struct.pack(">Q", length))
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body)))

    def send(self, text):
        self._frame(1, text.encode() if isinstance(text, str) else text)

    def say(self, **message):
        self.send(json.dumps(message))

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
