// Storefront interface strings in French.
import type { StorefrontStrings } from "./types"

export const fr: StorefrontStrings = {
  skip: "Aller au contenu",
  menu: "Principal",
  footer: "Pied de page",
  pagination: "Pagination",
  breadcrumb: "Fil d’Ariane",
  home: "Accueil",
  previous: "Précédent",
  next: "Suivant",
  pageOf: (page, last) => `Page ${page} sur ${last}`,
  by: (author) => `par ${author}`,
  poweredBy: "Propulsé par",
  opening: "Ouverture prochaine. Nous préparons la boutique.",
  notFound: "Page introuvable",
  notFoundHint: "La page a peut-être été déplacée, ou l’URL contient une erreur.",
  backHome: "Retour à l’accueil",
  preparing: "Nous préparons cette boutique",
  preparingHint: "Elle sera prête dans un instant. Cette page s’actualise automatiquement.",
  suspended: "Cette boutique est temporairement fermée",
  suspendedHint: "C’est votre boutique ? Connectez-vous pour la rouvrir.",
  unavailable: "Cette boutique est temporairement indisponible",
  unavailableHint: "Nous y travaillons. Veuillez réessayer dans quelques minutes.",
  unknownHost: "Aucune boutique à cette adresse",
  unknownHostHint: (host) => `${host} n’est associé à aucune boutique. Vérifiez l’URL et réessayez.`,
}
