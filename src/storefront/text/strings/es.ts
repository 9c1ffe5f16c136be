// The storefront in Spanish.
import type { Words } from "./strings"

export const es: Words = {
  skip: "Saltar al contenido",
  menu: "Principal",
  footer: "Pie de página",
  pagination: "Páginas",
  breadcrumb: "Estás aquí",
  home: "Inicio",
  previous: "Anterior",
  next: "Siguiente",
  pageOf: (page, last) => `Página ${page} de ${last}`,
  by: (author) => `por ${author}`,
  poweredBy: "Con la tecnología de",
  opening: "Abrimos pronto: estamos desembalando las primeras cosas.",
  notFound: "Esta página no está aquí.",
  notFoundHint: "Puede que se haya movido o que la dirección tenga un error.",
  backHome: "Volver a la portada",
  preparing: "Estamos preparando la tienda.",
  preparingHint: "Abre en un momento. Esta página vuelve a comprobarlo sola.",
  suspended: "Esta tienda está cerrada por ahora.",
  suspendedHint: "Si es tuya, inicia sesión en la plataforma para reabrirla.",
  unavailable: "Esta tienda no se puede mostrar ahora.",
  unavailableHint: "Lo estamos revisando. Inténtalo de nuevo dentro de un rato.",
  unknownHost: "Aquí no hay ninguna tienda.",
  unknownHostHint: (host) => `No se sirve nada en ${host}. Comprueba la dirección.`,
}
