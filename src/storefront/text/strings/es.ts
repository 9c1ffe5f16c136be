// Storefront interface strings in Spanish.
import type { StorefrontStrings } from "./types"

export const es: StorefrontStrings = {
  skip: "Ir al contenido",
  menu: "Principal",
  footer: "Pie de página",
  pagination: "Paginación",
  breadcrumb: "Ruta de navegación",
  home: "Inicio",
  previous: "Anterior",
  next: "Siguiente",
  pageOf: (page, last) => `Página ${page} de ${last}`,
  by: (author) => `por ${author}`,
  poweredBy: "Con la tecnología de",
  opening: "Abrimos pronto. Estamos preparando todo.",
  notFound: "Página no encontrada",
  notFoundHint: "Es posible que la página se haya movido o que la URL tenga un error.",
  backHome: "Volver al inicio",
  preparing: "Estamos preparando esta tienda",
  preparingHint: "Estará lista en un momento. Esta página se actualiza automáticamente.",
  suspended: "Esta tienda está cerrada temporalmente",
  suspendedHint: "¿Es tu tienda? Inicia sesión para reabrirla.",
  unavailable: "Esta tienda no está disponible en este momento",
  unavailableHint: "Estamos trabajando en ello. Inténtalo de nuevo en unos minutos.",
  unknownHost: "No hay ninguna tienda en esta dirección",
  unknownHostHint: (host) => `${host} no está conectado a ninguna tienda. Comprueba la URL e inténtalo de nuevo.`,
}
