from nlm_tui.runtimes import default_readers


def test_every_runtime_has_a_reader_below_the_home(tmp_path):
    readers = default_readers({}, tmp_path)
    assert [reader.runtime for reader in readers] == ["claude-code", "codex", "copilot-cli"]
    assert all(root.is_relative_to(tmp_path) for reader in readers for root in reader.roots)
    assert [list(reader.discover()) for reader in readers] == [[]] * len(readers)
