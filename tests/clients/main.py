"""Runs the cases of the real clients: main.py --bin SANCTUM --claude CLAUDE [NAME...]"""
import argparse, sys, time, traceback


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--bin", required=True)
    ap.add_argument("--claude", help="the Claude Code binary; without it its cases fail")
    ap.add_argument("names", nargs="*", help="only cases whose name holds one of these")
    a = ap.parse_args()
    import anthropic_sdk, claude_code, claude_code_chat, openai_sdk
    groups = (anthropic_sdk, openai_sdk, claude_code, claude_code_chat)
    cases = [(g.__name__, c) for g in groups for c in g.CASES]
    good = bad = 0
    for group, case in cases:
        name = f"{group}.{case.__name__}"
        if a.names and not any(n in name for n in a.names):
            continue
        began = time.monotonic()
        try:
            case(a.bin, a.claude)
            verdict, good = "ok    ", good + 1
        except Exception:
            verdict, bad = "FAILED", bad + 1
            traceback.print_exc()
        print(f"{verdict} {name} ({time.monotonic() - began:.1f} s): {case.__doc__.splitlines()[0]}", flush=True)
    print(f"{good} passed, {bad} failed")
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
