"""The drift arbiter: is every failure of a rejected verdict micro-drift, or does a person have to look?"""
