"""The visual arbiter and the design drift arbiter: two scripts, one package, no name but this one in `_meta/`."""
