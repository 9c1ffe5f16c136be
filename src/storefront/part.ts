// What a part of the storefront is: the pages below one path, its entry in the menu, its section on the front page. The journal is
// one, and every app may bring one.
import type { Child } from "hono/jsx"
import type { Sentence } from "../core/i18n/locale"
import type { CompiledRead } from "../db/prepared"
import type { Sheet } from "./layout"
import type { View } from "./view"

/** Whose rows are read. */
export interface Place {
  siteId: string
}

/** Reads of the site database, and what their answers amount to; null for what is not there. */
export interface Reading<Found> {
  reads: readonly CompiledRead<unknown>[]
  found(answers: readonly (readonly unknown[])[]): Found | null
}

/** A page that was read, written in the words of a view. */
export type Page = (view: View) => Sheet

/** What the front page shows of a part. */
export interface Section {
  /** The first segment of its pages' paths; also the id of the section's heading. */
  path: string
  title: Sentence
  /** The link to all of it. */
  all: Sentence
  /** The button under the shop's name, when this is the first section. */
  invitation: Sentence
  /** A picture for the top of the page and for previews, if one of the things shown has one. */
  image: string | null
  body(view: View): Child
}

export interface StorefrontPart {
  /** The first segment of its pages' paths; no two parts have the same. */
  path: string
  /** Its entry in the menu, which leads to the list. */
  menu: Sentence
  /** The section on the front page; null while it has nothing to show. */
  section?(place: Place): Reading<Section>
  /** `/<path>?page=<number>`; null for a page past the end. */
  list(place: Place, page: number): Reading<Page>
  /** `/<path>/<slug>`; null when nothing is published under that slug or id. */
  single(place: Place, slug: string): Reading<Page>
}
