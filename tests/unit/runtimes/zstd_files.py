"""Compression with zstd, on every Python."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def packed(data, **options):
    return zstd.compress(data, **options)
