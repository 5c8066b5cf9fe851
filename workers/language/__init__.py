"""What all share of understanding text: tokens, stems, stop words, names, hedges, time phrases, kinds of question.

Pure: nothing here reads or writes anything but its own weights.
"""
