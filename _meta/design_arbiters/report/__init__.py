"""The report for people: a verdict in, a terminal summary or one HTML page out. It judges nothing."""
