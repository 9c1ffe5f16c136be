// The stores of the seeded history and their outcomes.

/**
 * - `pays`: converted after its trial and has paid since
 * - `owes`: paid once; the next payment is overdue
 * - `tries`: is in its trial, or let it expire
 * - `left`: paid and cancelled later
 * - `fails`: was never provisioned
 */
type Fate = "pays" | "owes" | "tries" | "left" | "fails"

interface PastStore {
  subdomain: string
  name: string
  plan: string
  theme: string
  /** Creation date in days ago. */
  createdDaysAgo: number
  fate: Fate
}

const ROWS: [name: string, plan: string, theme: string, createdDaysAgo: number, fate: Fate][] = [
  ["Alder & Ash", "starter", "atelier", 118, "pays"],
  ["Bitter Orange", "pro", "bazaar", 115, "pays"],
  ["Copper Kettle", "starter", "nocturne", 112, "pays"],
  ["Dovetail Joinery", "legacy-2024", "atelier", 110, "pays"],
  ["Ember Candles", "starter", "nocturne", 106, "left"],
  ["Fern Street Books", "pro", "atelier", 103, "pays"],
  ["Kite Workshop", "starter", "bazaar", 86, "left"],
  ["Orchard Cider", "pro", "bazaar", 73, "pays"],
  ["Quarry Stoneware", "starter", "atelier", 66, "pays"],
  ["Rook & Raven", "pro", "nocturne", 63, "pays"],
  ["Tin Roof Records", "starter", "nocturne", 56, "owes"],
  ["Umber Prints", "pro", "atelier", 55, "owes"],
  ["Yew Tree Bows", "starter", "bazaar", 42, "pays"],
  ["Almond Row", "pro", "bazaar", 34, "pays"],
  ["Bramble Jam", "starter", "atelier", 30, "pays"],
  ["Drift Surf", "pro", "nocturne", 22, "pays"],
  ["Elm Toys", "free", "atelier", 19, "tries"],
  ["Foxglove Herbs", "starter", "atelier", 12, "tries"],
  ["Gull Island Coffee", "pro", "nocturne", 9, "tries"],
  ["Inkwell Pens", "pro", "atelier", 5, "tries"],
  ["Jetty Sailcloth", "starter", "bazaar", 3, "tries"],
  ["Knot & Needle", "free", "atelier", 2, "tries"],
  ["Larch Cabins", "pro", "nocturne", 1, "fails"],
]

/** Stores, oldest first. */
export const pastStores: PastStore[] = ROWS.map(([name, plan, theme, createdDaysAgo, fate]) => ({
  subdomain: name.split(/[ &]/)[0]?.toLowerCase() ?? "",
  name,
  plan,
  theme,
  createdDaysAgo,
  fate,
}))
