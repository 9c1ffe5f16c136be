// What the storefront itself has to say.

export type Words = {
  skip: string
  menu: string
  footer: string
  pagination: string
  breadcrumb: string
  home: string
  products: string
  galleries: string
  journal: string
  featured: string
  latest: string
  seeProducts: string
  seeGalleries: string
  readJournal: string
  allProducts: string
  allGalleries: string
  allPosts: string
  related: string
  moreToRead: string
  previous: string
  next: string
  pageOf: (page: number, last: number) => string
  by: (author: string) => string
  poweredBy: string
  opening: string
  noProducts: string
  noPosts: string
  noGalleries: string
  noPictures: string
  notFound: string
  notFoundHint: string
  backHome: string
  preparing: string
  preparingHint: string
  suspended: string
  suspendedHint: string
  unavailable: string
  unavailableHint: string
  unknownHost: string
  unknownHostHint: (host: string) => string
}
