// Products, customers, orders, messages, reviews and the gallery of the demo shop Acme Ceramics.

interface Person {
  name: string
  email: string
  /** Whether the person orders without an account. */
  isGuest?: true
  address: { line1: string; city: string; postal_code: string; country: string }
}

export const GALLERY = { name: "From the kiln", description: "The last firing, shelf by shelf." }

export const PICTURES = [
  { file: "celadon.png", hue: 150, caption: "Celadon cups" },
  { file: "iron.png", hue: 20, caption: "Bowls with an iron glaze" },
]

export const PRODUCTS = [
  { name: "Espresso cup", price_cents: 1900, stock: 64, description: "Holds 60 ml, and the heat." },
  { name: "Tea pot", price_cents: 8400, stock: 40, description: "Pours without a drop on the cloth." },
  { name: "Salad bowl", price_cents: 5600, stock: 42, description: "Wide and low, glazed inside only." },
  { name: "Moon vase", price_cents: 12_900, stock: 14, description: "Thrown in two halves and joined." },
]

/** Customers with an account come first. */
export const PEOPLE: Person[] = [
  {
    name: "Hana Sato",
    email: "hana@example.com",
    address: { line1: "2-11 Sakae", city: "Nagoya", postal_code: "460-0008", country: "Japan" },
  },
  {
    name: "Marta Kowalska",
    email: "marta@example.com",
    address: { line1: "ul. Długa 7", city: "Kraków", postal_code: "31-147", country: "Poland" },
  },
  {
    name: "Diego Fuentes",
    email: "diego@example.com",
    address: { line1: "Calle Mayor 18", city: "Sevilla", postal_code: "41001", country: "Spain" },
  },
  {
    name: "Amélie Laurent",
    email: "amelie@example.com",
    address: { line1: "5 rue des Potiers", city: "Lyon", postal_code: "69001", country: "France" },
  },
  {
    name: "Trần Minh Anh",
    email: "minhanh@example.com",
    isGuest: true,
    address: { line1: "12 Hàng Gai", city: "Hà Nội", postal_code: "110000", country: "Vietnam" },
  },
  {
    name: "Oliver Grant",
    email: "oliver@example.com",
    isGuest: true,
    address: { line1: "88 Mill Road", city: "Leeds", postal_code: "LS1 4DY", country: "United Kingdom" },
  },
]

export type Status = "pending" | "paid" | "fulfilled" | "cancelled"

interface DemoOrder {
  daysAgo: number
  /** Index of the customer. */
  person: number
  /** Index of a product, and the quantity. */
  items: [product: number, quantity: number][]
  status: Status
}

const ORDER_COUNT = 20

/** Whose orders follow each other. */
const ORDERING_PEOPLE = [0, 4, 1, 5, 2, 3]

/** Orders that wait for payment. Unpaid orders are cancelled after a day. */
const PENDING_COUNT = 3

/** How many days ago an order was placed: more sell toward the end of the month. */
const toDaysAgo = (index: number): number => {
  const fromLast = ORDER_COUNT - index
  return fromLast <= PENDING_COUNT ? fromLast * 0.2 : 29.5 * (1 - (index / ORDER_COUNT) ** 0.8) + 0.1
}

/** The last orders wait for payment, those before them to be sent. */
function toStatus(index: number): Status {
  const fromLast = ORDER_COUNT - index
  if (fromLast <= PENDING_COUNT) return "pending"
  if (fromLast <= 7) return "paid"
  return index % 11 === 5 ? "cancelled" : "fulfilled"
}

/** Lists the orders from the oldest to the latest. */
export const orders = (): DemoOrder[] =>
  Array.from({ length: ORDER_COUNT }, (_, index) => ({
    daysAgo: toDaysAgo(index),
    person: ORDERING_PEOPLE[index % ORDERING_PEOPLE.length] ?? 0,
    items: [
      [index % PRODUCTS.length, 1 + (index % 3)],
      ...(index % 2 ? [[(index + 1) % PRODUCTS.length, 1] as [number, number]] : []),
    ],
    status: toStatus(index),
  }))

export const WRITTEN = [
  { daysAgo: 24, person: 1, isRead: true, subject: "Dishwasher", message: "Can the cups go into the dishwasher?" },
  {
    daysAgo: 15,
    person: 3,
    isRead: true,
    subject: "Gift",
    message: "Could you wrap my order and leave out the invoice?",
  },
  {
    daysAgo: 3,
    person: 2,
    isRead: false,
    subject: "A larger bowl",
    message: "Do you also make a bowl for ten people?",
  },
  { daysAgo: 0.3, person: 0, isRead: false, subject: "Delivery", message: "When do you send my last order?" },
]

export const REVIEWS = [
  { daysAgo: 12, person: 0, product: 0, rating: 5, comment: "Exactly the right size." },
  { daysAgo: 9, person: 1, product: 2, rating: 4, comment: "Beautiful, and a little heavier than I thought." },
  { daysAgo: 4, person: 2, product: 0, rating: 5, comment: "On our table every day." },
]
