"""One setting, many estimates: how far the partition alone moves a cross-validation estimate."""

from evalkit.papers.judging import Finding, Judges, Resampled, either, everywhere
from evalkit.papers.moss2018.groups import middle_span, sd_ratio

JUDGES = Judges("moss2018")


@JUDGES.judge("estimates-vary")
def _estimates_vary(record):
    estimates = record.forest_estimates("folds", 5)
    span = Resampled(lambda drawn: 100 * middle_span(drawn), estimates)
    verdict = span.beyond(1)
    return Finding(
        verdict,
        "own run",
        f"95 % of {len(estimates)} estimates by 5-fold cross-validation span {span.estimate:.1f} points "
        f"({span.low:.1f} to {span.high:.1f}).",
        (span,),
    )


@JUDGES.judge("splits-vary-more")
def _splits_vary_more(record):
    ratios = {
        k: Resampled(
            lambda split, folds: sd_ratio(folds, split),
            record.forest_estimates("split", k),
            record.forest_estimates("folds", k),
        )
        for k in (2, 5, 10, 20)
    }
    verdict = everywhere([ratio.beyond(1) for ratio in ratios.values()])
    lines = [f"K = {k}: {r.estimate:.1f} ({r.low:.1f} to {r.high:.1f})" for k, r in ratios.items()]
    return Finding(
        verdict,
        "own run",
        f"SD of single splits over that of cross-validation: {'; '.join(lines)}.",
        tuple(ratios.values()),
    )


@JUDGES.judge("k5-enough")
def _k5_enough(record):
    five, twenty = record.forest_estimates("folds", 5), record.forest_estimates("folds", 20)
    gain = Resampled(lambda a, b: 100 * (b.mean() - a.mean()), five, twenty)
    ratio = Resampled(sd_ratio, five, twenty)
    gain.settle(-0.5, 0.5)
    ratio.settle(0.75, 1.25)
    within = gain.low > -0.5 and gain.high < 0.5 and ratio.low > 0.75 and ratio.high < 1.25
    outside = gain.high < -0.5 or gain.low > 0.5 or ratio.high < 0.75 or ratio.low > 1.25
    return Finding(
        either(within, outside),
        "own run",
        f"From K = 5 to 20 the mean moves by {gain.estimate:+.2f} points ({gain.low:+.2f} to "
        f"{gain.high:+.2f}), and the SD by a factor of {ratio.estimate:.2f} ({ratio.low:.2f} to "
        f"{ratio.high:.2f}).",
        (gain, ratio),
    )
