"""evalkit"""
