// The shape of a language's storefront interface strings.

export type StorefrontStrings = {
  skip: string
  menu: string
  footer: string
  pagination: string
  breadcrumb: string
  home: string
  previous: string
  next: string
  pageOf: (page: number, last: number) => string
  by: (author: string) => string
  poweredBy: string
  opening: string
  notFound: string
  notFoundHint: string
  backHome: string
  preparing: string
  preparingHint: string
  suspended: string
  suspendedHint: string
  closed: string
  closedHint: string
  unavailable: string
  unavailableHint: string
  unknownHost: string
  unknownHostHint: (host: string) => string
  cart: string
  search: string
  account: string
  optional: string
  /** Title of the page that says why a form was refused. */
  refused: string
}
