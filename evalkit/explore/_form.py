"""An explorer in a live kernel: fields of ipywidgets for any value, and what evalkit
computes there.
"""

from base64 import b64encode
from html import escape

from evalkit.explore._drawn import come_to
from evalkit.explore._picture import chart_of, picture_of

MOST = 10_000  # draws


def form(play):
    """Return the form of an explorer.

    Parameters
    ----------
    play : Play

    Returns
    -------
    ipywidgets.VBox
        Fields, buttons and a figure. Each setting that is tried leaves a point.
    """
    import ipywidgets

    fields = {control.name: _field(ipywidgets, control) for control in play.controls}
    figure = ipywidgets.HTML()
    state = {"seed": play.seed, "draws": play.begin, "curve": False}
    points = {}

    def setting():
        return {name: field.value for name, field in fields.items()}

    def move(_):
        state["draws"] = play.begin
        show()

    def show():
        here = setting()
        drawn = play.drawn(here, seed=state["seed"], draws=state["draws"])
        ends = come_to(drawn, play.law.series)
        points[tuple(here.values())] = (here, play.place(here), ends)
        curves = [(here, play.curve(here))] if state["curve"] else []
        images = picture_of(play, drawn), chart_of(play, [*points.values()], curves)
        told = play.told(ends), play.sentence(here, drawn)
        text = escape(f"{state['draws']:,} draws. {' '.join(told)}")
        pictures = "".join(
            f'<img alt="{escape(alt)}" style="max-width:100%;height:260px"'
            f' src="data:image/png;base64,{b64encode(image).decode()}">'
            for image, alt in zip(images, (play.title, "what was tried"), strict=True)
        )
        figure.value = (
            f'<div style="max-width:48rem;background:#fff;color:#222">{pictures}'
            f"<p>{text}</p></div>"
        )

    def draw(_):
        state["draws"] = min(state["draws"] + 100, MOST)
        show()

    def again(_):
        state["seed"] += 1
        show()

    def reveal(_):
        state["curve"] = not state["curve"]
        show()

    def clear(_):
        points.clear()
        show()

    for field in fields.values():
        field.observe(move, names="value")
    acts = {"Draw 100": draw, "New luck": again, "Curve": reveal, "Clear": clear}
    buttons = []
    for label, act in acts.items():
        button = ipywidgets.Button(description=label)
        button.on_click(act)
        buttons.append(button)
    show()
    return ipywidgets.VBox([*fields.values(), ipywidgets.HBox(buttons), figure])


def _field(ipywidgets, control):
    common = {
        "description": control.label,
        "value": control.start,
        "style": {"description_width": "initial"},
        "layout": {"width": "36rem", "max_width": "100%"},
    }
    if control.is_slider or control.typed:
        ends = control.live or (control.values[0], control.values[-1], 1)
        low, high, step = ends
        whole = all(isinstance(end, int) for end in (*ends, control.start))
        if control.typed:
            return ipywidgets.BoundedIntText(min=low, max=high, **common)
        kind = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
        readout = {} if whole else {"readout_format": ".3g"}
        return kind(
            min=low, max=high, step=step, continuous_update=False, **readout, **common
        )
    options = [(control.text(value), value) for value in control.values]
    # Not a list: JupyterLab takes its arrow keys, and goes to another cell.
    orientation = "horizontal" if len(options) < 4 else "vertical"
    return ipywidgets.RadioButtons(options=options, orientation=orientation, **common)
