// How the older paths describe themselves: they all answer 200, or what the present ones answer.
import { describe } from "../../core/route"

/** Stands in front of an older route and says what it is for. */
export const old = (summary: string) => describe({ summary: `${summary}, for older clients`, answers: { status: 200 } })
