"""Certificates for a test, by an authority that is made with them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path


class Certificates:
    """An own certificate authority and a certificate for one host, made for one test."""

    def __init__(self, folder: Path, host: str = "localhost") -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID

        self.ca, self.certificate, self.key = folder / "ca.pem", folder / "server.pem", folder / "server.key"
        now = datetime.now(UTC)
        ca_key, server_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        authority = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Home test authority")])

        def certificate(subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
            return (
                x509.CertificateBuilder()
                .subject_name(subject)
                .issuer_name(authority)
                .public_key(key)
                .serial_number(x509.random_serial_number())
                .not_valid_before(now - timedelta(days=1))
                .not_valid_after(now + timedelta(days=1))
            )

        signs_others = x509.KeyUsage(
            digital_signature=True, key_cert_sign=True, crl_sign=True,
            content_commitment=False, key_encipherment=False, data_encipherment=False,
            key_agreement=False, encipher_only=False, decipher_only=False,
        )  # fmt: skip
        root = (
            certificate(authority, ca_key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(signs_others, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key()), critical=False)
            .sign(ca_key, hashes.SHA256())
        )
        server = (
            certificate(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)]), server_key.public_key())
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False
            )
            .sign(ca_key, hashes.SHA256())
        )
        pem = serialization.Encoding.PEM
        self.ca.write_bytes(root.public_bytes(pem))
        self.certificate.write_bytes(server.public_bytes(pem))
        self.key.write_bytes(
            server_key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        )

    def lock_key(self, to: Path, passphrase: bytes) -> None:
        """The same key, which nobody can read without the passphrase."""
        from cryptography.hazmat.primitives import serialization

        key = serialization.load_pem_private_key(self.key.read_bytes(), None)
        locked = serialization.BestAvailableEncryption(passphrase)
        pem = serialization.Encoding.PEM
        to.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, locked))
