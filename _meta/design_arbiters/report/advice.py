"""What to do about each thing that a verdict may say: one short sentence each, in one place."""

from __future__ import annotations

#: Kind of failure or concern → what would satisfy the rule.
WHAT_TO_DO = {
    "missing_from_dom": "Render an element that the selector matches at this breakpoint.",
    "bbox_drift": "Move or resize the element until every difference is within the tolerance.",
    "token_mismatch": "Set the property through the expected token's custom property, with var(), and take out what "
    "overrides it.",
    "dead_handler": "Let the event's handler set __arbiter_handler_ran to true on the element, or give it one of the "
    "other signs that were looked for.",
    "undeclared_breakpoint": "Declare the element's bbox at this breakpoint; null, if it is hidden there.",
    "ambiguous_selector": "Leave one element that the selector matches, or make the selector stricter.",
    "hidden_element": "Show the element, or no longer declare it as visible.",
    "not_a_token_reference": "Name a token in tokens_used, such as $color.ink, in place of the literal.",
    "token_not_by_reference": "Set the property through the token's custom property, with var().",
    "token_value_differs": "Give the custom property the colour that the skeleton declares for the token.",
    "interaction_error": "Mend the handler, so that it neither throws nor hangs when its event is dispatched.",
    "fonts_slow": "Serve the fonts faster; until they come, boxes are measured with the fallback font.",
    "layout_unstable": "Let declared boxes come to rest within the first seconds after the page has loaded.",
    "nothing_to_verify": "Declare elements that have a required breakpoint: this verdict verifies nothing.",
    "partial_measurement": "Remove what the measurement's errors name, and run the arbiter again.",
}
#: Of a skeleton's faults only who owns the skeleton can take care.
IF_THE_SKELETON_IS_WRONG = "Where the skeleton is wrong and not the product, have it changed and frozen anew."

NOT_CALLED_RIGHT = "Mend the call, the environment or the skeleton as the reason says, and run the arbiter again."
NO_AUDIT = "Remove the cause and run the arbiter again, or let a person decide. This is no approval."

#: Status of a drift verdict → what it means for the rejection.
DRIFT_STATUS = {
    "auto_approved": "every failure is micro-drift within the profile",
    "escalate_to_user": "a person has to look",
}
HOW_TO_GET_DRAWINGS = (
    "No drawings: a verdict holds differences alone. Add --skeleton PATH, with the skeleton that was judged, "
    "to see the declared and the measured boxes."
)
