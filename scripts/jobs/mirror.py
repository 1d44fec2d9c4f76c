"""Serves files over HTTPS with a self-signed certificate, like a server of releases."""
import functools
import http.server
import shutil
import ssl
import subprocess
import threading


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    """Serves a folder until this program ends; returns the address and the certificate file for curl."""
    if not shutil.which("openssl"):
        print("NOT CHECKED: https; openssl is not installed")
        return f"file://{folder}", ""
    certificate, key = folder.parent / "mirror.pem", folder.parent / "mirror.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"https://localhost:{server.server_port}", certificate
