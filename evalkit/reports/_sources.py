"""Whom to cite: the sources of what a report calls, as BibTeX; those in the book's bibliography as there."""

ENTRIES = {
    "bell2002bias": """@article{bell2002bias,
  author = {Bell, Robert M. and McCaffrey, Daniel F.},
  title = {Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples},
  journal = {Survey Methodology},
  year = {2002},
  volume = {28},
  number = {2},
  pages = {169--181}
}""",
    "holm1979simple": """@article{holm1979simple,
  author = {Holm, Sture},
  title = {A Simple Sequentially Rejective Multiple Test Procedure},
  journal = {Scandinavian Journal of Statistics},
  year = {1979},
  volume = {6},
  number = {2},
  pages = {65--70},
  url = {https://www.jstor.org/stable/4615733}
}""",
    "mcnemar1947note": """@article{mcnemar1947note,
  author = {McNemar, Quinn},
  title = {Note on the Sampling Error of the Difference Between Correlated Proportions or Percentages},
  journal = {Psychometrika},
  year = {1947},
  volume = {12},
  number = {2},
  pages = {153--157},
  doi = {10.1007/BF02295996}
}""",
    "nadeau2003inference": """@article{nadeau2003inference,
  author = {Nadeau, Claude and Bengio, Yoshua},
  title = {Inference for the Generalization Error},
  journal = {Machine Learning},
  year = {2003},
  volume = {52},
  number = {3},
  pages = {239--281},
  doi = {10.1023/A:1024068626366}
}""",
    "owen2007pigeonhole": """@article{owen2007pigeonhole,
  author = {Owen, Art B.},
  title = {The Pigeonhole Bootstrap},
  journal = {Annals of Applied Statistics},
  year = {2007},
  volume = {1},
  number = {2},
  pages = {386--411},
  doi = {10.1214/07-AOAS122}
}""",
    "schuirmann1987comparison": """@article{schuirmann1987comparison,
  author = {Schuirmann, Donald J.},
  title = {A Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing the
           Equivalence of Average Bioavailability},
  journal = {Journal of Pharmacokinetics and Biopharmaceutics},
  year = {1987},
  volume = {15},
  number = {6},
  pages = {657--680},
  doi = {10.1007/BF01068419}
}""",
    "tang2020showing": """@inproceedings{tang2020showing,
  author = {Tang, Raphael and Lee, Jaejun and Xin, Ji and Liu, Xinyu and Yu, Yaoliang and Lin, Jimmy},
  title = {Showing Your Work Doesn't Always Work},
  booktitle = {Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics},
  year = {2020},
  pages = {2766--2772},
  doi = {10.18653/v1/2020.acl-main.246}
}""",
    "tango1998equivalence": """@article{tango1998equivalence,
  author = {Tango, Toshiro},
  title = {Equivalence Test and Confidence Interval for the Difference in Proportions for the Paired-Sample
           Design},
  journal = {Statistics in Medicine},
  year = {1998},
  volume = {17},
  number = {8},
  pages = {891--908}
}""",
    "welch1947generalization": """@article{welch1947generalization,
  author = {Welch, Bernard L.},
  title = {The Generalization of `Student's' Problem when Several Different Population Variances
           are Involved},
  journal = {Biometrika},
  year = {1947},
  volume = {34},
  number = {1/2},
  pages = {28--35},
  doi = {10.1093/biomet/34.1-2.28}
}""",
    "wilcoxon1945individual": """@article{wilcoxon1945individual,
  author = {Wilcoxon, Frank},
  title = {Individual Comparisons by Ranking Methods},
  journal = {Biometrics Bulletin},
  year = {1945},
  volume = {1},
  number = {6},
  pages = {80--83},
  doi = {10.2307/3001968}
}""",
}


def bibtex(keys, version):
    """Return the entries of some sources, and that of evalkit.

    Parameters
    ----------
    keys : iterable of str
    version : str
        Of evalkit.

    Returns
    -------
    str
    """
    own = (
        "@software{evalkit,\n  author = {{The evalkit authors}},\n"
        "  title = {evalkit: Statistics for Showing that One System Beats Another},\n"
        f"  version = {{{version}}},\n  year = {{2026}}\n}}"
    )
    return "\n\n".join([*(ENTRIES[key] for key in dict.fromkeys(keys)), own])
