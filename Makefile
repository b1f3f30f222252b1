.PHONY: demo test setup install uninstall pin bench picture clean

SKILLS ?= $(HOME)/.claude/skills

# Set up, judge the shipped example, and show the verdicts.
demo: setup
	@.venv/bin/python visual-arbiter/example/demo.py

# Set up, and run every check and test.
test:
	@sh setup.sh test
	@.venv/bin/python -m ruff check --quiet .
	@.venv/bin/python -m mypy --no-error-summary
	@for file in measure/*.mjs measure/driver/*.mjs measure/page/*.mjs tests/*/*.mjs tests/frameworks/apps/*.js; do node --check "$$file" || exit 1; done
	@.venv/bin/python -m pytest

setup:
	@sh setup.sh run

# Install into a skills folder: SKILLS=dir for another one, LINK=1 for links into this checkout.
install: setup
	@.venv/bin/python _meta/design_arbiters/install.py $(if $(LINK),--link) "$(SKILLS)"

# Take out of it what was installed and is unchanged.
uninstall:
	@python3 _meta/design_arbiters/install.py --uninstall "$(SKILLS)"

# Renew the digest of the rubric in both spawn scripts.
pin:
	@python3 _meta/design_arbiters/pin.py

# Measure what a run costs, beside the least that it can take, and draw it for README.
bench: setup
	@.venv/bin/python tests/bench/visual.py --svg tests/bench/figures.svg
	@.venv/bin/python tests/bench/drift.py

# Draw README's picture of a report anew.
picture: setup
	@.venv/bin/python visual-arbiter/example/demo.py --json | tail -n 1 | .venv/bin/python _meta/design_arbiter_report.py \
	  --skeleton visual-arbiter/example/skeleton/index.yaml --html >.venv/report.html
	@"$$(PYTHONPATH=_meta .venv/bin/python -m design_arbiters.visual.chrome)" --headless --no-sandbox --hide-scrollbars \
	  --force-device-scale-factor=0.6 --window-size=1300,2240 --screenshot="$$PWD/visual-arbiter/example/report.png" \
	  "file://$$PWD/.venv/report.html" 2>/dev/null

clean:
	rm -rf .venv measure/node_modules measure/.chromium tests/frameworks/node_modules
