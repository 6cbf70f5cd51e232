from __future__ import annotations

import hashlib

from portablepdb import Assembly
from tests.support.fake_debuggee.sample import DOCUMENT, SAMPLE, SOURCE


def test_sample_is_compiled_from_its_source():
    with Assembly.open(SAMPLE) as assembly:
        pdb = assembly.find_pdb().pdb
        assert pdb is not None
        (document,) = pdb.documents
        assert document.name == DOCUMENT
        assert document.hash == hashlib.sha256(SOURCE.read_bytes()).digest(), "compile Sample.cs again: see README.md"
