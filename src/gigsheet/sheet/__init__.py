"""The printed sheet: templates, and the PDF made of them."""
