"""What an event gives out: tables for a spreadsheet, JSON for programs, transcripts, a report for people."""
