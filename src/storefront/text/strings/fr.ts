// The storefront in French.
import type { Words } from "./strings"

export const fr: Words = {
  skip: "Aller au contenu",
  menu: "Principal",
  footer: "Pied de page",
  pagination: "Pages",
  breadcrumb: "Vous êtes ici",
  home: "Accueil",
  previous: "Précédent",
  next: "Suivant",
  pageOf: (page, last) => `Page ${page} sur ${last}`,
  by: (author) => `par ${author}`,
  poweredBy: "Propulsé par",
  opening: "Ouverture prochaine : nous déballons les premières pièces.",
  notFound: "Cette page n’est pas ici.",
  notFoundHint: "Elle a peut-être été déplacée, ou l’adresse contient une faute.",
  backHome: "Retour à l’accueil",
  preparing: "Nous préparons la boutique.",
  preparingHint: "Elle ouvre dans un instant. Cette page vérifie toute seule.",
  suspended: "Cette boutique est fermée pour le moment.",
  suspendedHint: "Si elle est à vous, connectez-vous à la plateforme pour la rouvrir.",
  unavailable: "Cette boutique ne peut pas être affichée.",
  unavailableHint: "Nous nous en occupons. Réessayez dans un moment.",
  unknownHost: "Il n’y a pas de boutique ici.",
  unknownHostHint: (host) => `Rien n’est servi à ${host}. Vérifiez l’adresse.`,
}
