"""The download: whole and verified or not there at all, against a server on this machine."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evrev.errors import DataError, EvrevError, SettingsError
from evrev.formats.tables import DOWNLOADS, published_digests
from evrev.records.build import build_records
from evrev.records.download import download, fetcher
from evrev.records.tables import TABLES

BODY = bytes(range(256)) * 3000
DIGESTS = {"lab": hashlib.sha256(BODY).hexdigest(), "vitalPeriodic": hashlib.sha256(b"other").hexdigest()}
Answer = Callable[[BaseHTTPRequestHandler, bytes, int], None]


def whole(handler: BaseHTTPRequestHandler, body: bytes, start: int) -> None:
    """Answer as the publisher does: a range where one is asked for."""
    if start >= len(body):
        handler.send_error(416)
        return
    handler.send_response(206 if start else 200)
    if start:
        handler.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
    handler.send_header("Content-Length", str(len(body) - start))
    handler.end_headers()
    handler.wfile.write(body[start:])


def cut_after(length: int) -> Answer:
    """Promise the whole body and hang up early."""

    def answer(handler: BaseHTTPRequestHandler, body: bytes, start: int) -> None:
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        handler.send_header("Content-Length", str(len(body) - start))
        handler.end_headers()
        handler.wfile.write(body[start : start + length])

    return answer


def status(code: int) -> Answer:
    """Answer with a status and nothing else."""
    return lambda handler, _body, _start: handler.send_error(code)


def wrong(handler: BaseHTTPRequestHandler, body: bytes, start: int) -> None:
    """As many bytes, one of them another."""
    whole(handler, body[:-1] + bytes([body[-1] ^ 1]), start)


def no_ranges(handler: BaseHTTPRequestHandler, body: bytes, _start: int) -> None:
    """Send everything whatever was asked for."""
    whole(handler, body, 0)


def other_range(handler: BaseHTTPRequestHandler, body: bytes, start: int) -> None:
    """Claim to resume, somewhere else."""
    if not start:
        whole(handler, body, 0)
        return
    handler.send_response(206)
    handler.send_header("Content-Range", f"bytes 0-{len(body) - 1}/{len(body)}")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


class Server:
    """Answers requests from a list, the last answer for ever after, and keeps what was asked."""

    def __init__(self) -> None:
        self.answers: list[Answer] = [whole]
        self.asked: list[tuple[str, int]] = []
        self.stop = threading.Event()
        self.body = BODY
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                range_ = self.headers.get("Range", "bytes=0-")
                start = int(range_.removeprefix("bytes=").removesuffix("-"))
                answer = outer.answers[min(len(outer.asked), len(outer.answers) - 1)]
                outer.asked.append((self.path, start))
                with suppress(ConnectionError):
                    answer(self, outer.body, start)

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/files/"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    def close(self) -> None:
        self.stop.set()
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


def fetch(server: Server, into: Path, **arguments: object) -> tuple[Path, ...]:
    call = {"base_url": server.url, "digests": DIGESTS, "attempts": 3, "timeout": 5.0, "pause": 0.0}
    return download(["lab"], into, **{**call, **arguments})  # type: ignore[arg-type]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_arrives_whole_under_its_name_and_is_not_asked_for_again(
    server: Server, tmp_path: Path
) -> None:
    told: list[str] = []
    assert fetch(server, tmp_path / "a" / "b", say=told.append) == (tmp_path / "a" / "b" / "lab.csv.gz",)
    assert (tmp_path / "a" / "b" / "lab.csv.gz").read_bytes() == BODY
    assert names(tmp_path / "a" / "b") == ["lab.csv.gz"]
    assert told == [f"downloading {server.url}lab.csv.gz"]
    assert fetch(server, tmp_path / "a" / "b") == ()
    assert server.asked == [("/files/lab.csv.gz", 0)]


@pytest.mark.parametrize("present", ["LAB.csv.gz", "lab.csv"])
def test_a_table_that_is_there_in_any_case_is_left_alone(
    server: Server, tmp_path: Path, present: str
) -> None:
    (tmp_path / present).write_text("mine")
    assert fetch(server, tmp_path) == ()
    assert server.asked == []


def test_a_cut_body_is_taken_up_where_it_ended(server: Server, tmp_path: Path) -> None:
    server.answers = [cut_after(1000), cut_after(5000), whole]
    fetch(server, tmp_path)
    assert [start for _, start in server.asked] == [0, 1000, 6000]
    assert (tmp_path / "lab.csv.gz").read_bytes() == BODY


def test_a_later_call_takes_up_what_an_earlier_one_left(server: Server, tmp_path: Path) -> None:
    server.answers = [cut_after(1000), cut_after(0), cut_after(0), whole]
    with pytest.raises(DataError, match=f"cut short: 1000 of {len(BODY)} bytes .3 attempts"):
        fetch(server, tmp_path)
    assert names(tmp_path) == ["lab.csv.gz.part"]
    fetch(server, tmp_path)
    assert server.asked[-1] == ("/files/lab.csv.gz", 1000)
    assert (tmp_path / "lab.csv.gz").read_bytes() == BODY


@pytest.mark.parametrize("answer", [no_ranges, other_range])
def test_a_server_that_does_not_resume_is_read_from_the_start(
    server: Server, tmp_path: Path, answer: Answer
) -> None:
    server.answers = [cut_after(1000), answer]
    fetch(server, tmp_path)
    assert (tmp_path / "lab.csv.gz").read_bytes() == BODY


def test_a_whole_part_is_only_checked(server: Server, tmp_path: Path) -> None:
    (tmp_path / "lab.csv.gz.part").write_bytes(BODY)
    fetch(server, tmp_path)
    assert server.asked == [("/files/lab.csv.gz", len(BODY))]
    assert names(tmp_path) == ["lab.csv.gz"]


def test_a_part_of_other_bytes_is_thrown_away(server: Server, tmp_path: Path) -> None:
    (tmp_path / "lab.csv.gz.part").write_bytes(b"rubbish")
    fetch(server, tmp_path)
    assert [start for _, start in server.asked] == [7, 0]
    assert (tmp_path / "lab.csv.gz").read_bytes() == BODY


def test_wrong_bytes_never_get_the_name_of_the_file(server: Server, tmp_path: Path) -> None:
    server.answers = [wrong]
    with pytest.raises(DataError, match="not the published ones") as caught:
        fetch(server, tmp_path)
    assert DIGESTS["lab"][:12] in str(caught.value)
    assert [start for _, start in server.asked] == [0, 0, 0]
    assert names(tmp_path) == []


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_a_refusal_is_said_at_once(server: Server, tmp_path: Path, code: int) -> None:
    server.answers = [status(code)]
    with pytest.raises(DataError, match=f"lab.csv.gz: the server answers {code} "):
        fetch(server, tmp_path)
    assert len(server.asked) == 1
    assert names(tmp_path) == []


def test_what_may_pass_is_tried_again(server: Server, tmp_path: Path) -> None:
    server.answers = [status(503), status(429), whole]
    fetch(server, tmp_path)
    assert len(server.asked) == 3


def test_attempts_are_bounded(server: Server, tmp_path: Path) -> None:
    server.answers = [status(500)]
    with pytest.raises(DataError, match=r"answers 500 .*3 attempts"):
        fetch(server, tmp_path)
    assert len(server.asked) == 3
    assert names(tmp_path) == []


def test_silence_and_a_trickle_both_end(server: Server, tmp_path: Path) -> None:
    def silent(handler: BaseHTTPRequestHandler, body: bytes, start: int) -> None:
        cut_after(10)(handler, body, start)
        server.stop.wait(20)

    def trickle(handler: BaseHTTPRequestHandler, body: bytes, start: int) -> None:
        cut_after(0)(handler, body, start)
        while not server.stop.wait(0.02):
            handler.wfile.write(b"x")
            handler.wfile.flush()

    for answer, words in ((silent, "broke off: timed out"), (trickle, "stalled: .* bytes in 0 s")):
        server.answers, server.asked = [answer], []
        began = time.monotonic()
        with pytest.raises(DataError, match=words):
            fetch(server, tmp_path / words[:5], attempts=1, timeout=0.2)
        assert time.monotonic() - began < 5
        assert names(tmp_path / words[:5]) == ["lab.csv.gz.part"]


def test_nobody_there_is_one_line_and_a_remedy(server: Server, tmp_path: Path) -> None:
    server.close()
    with pytest.raises(DataError, match=r"cannot be reached: Connection refused .3 attempts") as caught:
        fetch(server, tmp_path)
    assert len(str(caught.value).splitlines()) == 2
    assert names(tmp_path) == []


def test_two_downloads_of_one_file_do_not_mix(server: Server, tmp_path: Path) -> None:
    def busy(handler: BaseHTTPRequestHandler, body: bytes, start: int) -> None:
        with pytest.raises(DataError, match="another download"):
            fetch(server, tmp_path)
        whole(handler, body, start)

    server.answers = [busy]
    fetch(server, tmp_path)
    assert (tmp_path / "lab.csv.gz").read_bytes() == BODY


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"base_url": "http://physionet.org/files/"}, "not an https address"),
        ({"base_url": "ftp://127.0.0.1/"}, "not an https address"),
        ({"digests": {}}, "no published table 'lab'"),
    ],
)
def test_what_cannot_be_asked_for(
    server: Server, tmp_path: Path, arguments: dict[str, object], words: str
) -> None:
    with pytest.raises(SettingsError, match=words):
        fetch(server, tmp_path, **arguments)
    assert server.asked == []


def test_every_table_has_a_published_digest(eicu_demo: Path) -> None:
    known = published_digests()
    sums = dict(reversed(line.split()) for line in (eicu_demo / "SHA256SUMS.txt").read_text().splitlines())
    for name in TABLES:
        if name not in ("vitalPeriodic", "nurseCharting", "lab"):
            assert known[name.lower()] == sums[f"{name}.csv.gz"]
    assert len({known[name.lower()] for name in TABLES}) == len(TABLES)


def test_only_evrevs_own_folder_is_filled(tmp_path: Path) -> None:
    assert fetcher(None) is None
    assert fetcher(tmp_path) is None
    assert fetcher(DOWNLOADS) is not None


def test_building_brings_the_tables_it_reads_and_no_others(tmp_path: Path) -> None:
    from evrev.records.synthetic import write_tables

    asked: list[tuple[str, ...]] = []

    def bring(folder: Path, tables: tuple[str, ...]) -> None:
        asked.append(tables)
        write_tables(folder, persons=5)

    out = tmp_path / "out"
    build_records(source="eicu_demo", data=tmp_path / "data", out=out, tables=["lab"], fetch=bring)
    assert asked == [("patient", "lab")]
    assert (out / "labs.parquet").exists()


def test_the_command_names_what_it_cannot_get(tmp_path: Path) -> None:
    from evrev.cli import app

    done = CliRunner().invoke(app, ["records", "download", "labs", "--into", str(tmp_path)])
    assert isinstance(done.exception, EvrevError)
    assert "no published table 'labs' (did you mean 'lab'?)" in str(done.exception)
