// Base stylesheet of every theme.
import { cards } from "./cards"
import { chrome } from "./chrome"
import { forms } from "./forms"
import { foundation } from "./foundation"
import { pages } from "./pages"
import { prose } from "./prose"

export const base = foundation + chrome + cards + pages + prose + forms
