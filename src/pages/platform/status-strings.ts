// Strings of the status page.
import { createTranslator, localize, type Translations } from "../../core/i18n/locale"

const STRINGS = {
  title: localize("Status", "Estado", "État du service", "Trạng thái"),
  all_operational: localize(
    "All systems are operational",
    "Todos los sistemas funcionan",
    "Tous les systèmes fonctionnent",
    "Tất cả hệ thống đang hoạt động",
  ),
  some_degraded: localize(
    "Some systems are degraded",
    "Algunos sistemas funcionan con problemas",
    "Certains systèmes sont perturbés",
    "Một số hệ thống đang gặp sự cố",
  ),
  some_outage: localize(
    "Some systems are down",
    "Algunos sistemas no funcionan",
    "Certains systèmes sont en panne",
    "Một số hệ thống đang ngừng hoạt động",
  ),
  some_unknown: localize(
    "Some systems were not measured recently",
    "Algunos sistemas no se han medido recientemente",
    "Certains systèmes n'ont pas été mesurés récemment",
    "Một số hệ thống chưa được đo gần đây",
  ),
  api: localize("API and stores", "API y tiendas", "API et boutiques", "API và cửa hàng"),
  deliveries: localize("Webhooks", "Webhooks", "Webhooks", "Webhook"),
  push: localize("Push notifications", "Notificaciones push", "Notifications push", "Thông báo đẩy"),
  operational: localize("Operational", "Operativo", "Opérationnel", "Hoạt động"),
  degraded: localize("Degraded", "Con problemas", "Perturbé", "Gặp sự cố"),
  outage: localize("Down", "No funciona", "En panne", "Ngừng hoạt động"),
  unknown: localize("Not measured", "Sin medir", "Non mesuré", "Chưa đo"),
  latency: localize(
    "Median time from an event to its delivery",
    "Tiempo mediano desde un evento hasta su entrega",
    "Délai médian entre un événement et sa livraison",
    "Thời gian trung vị từ sự kiện đến khi gửi",
  ),
  slowest: localize(
    "95 % of deliveries within",
    "El 95 % de las entregas en",
    "95 % des livraisons en moins de",
    "95 % lượt gửi trong vòng",
  ),
  oldest_due: localize(
    "Oldest delivery that is due",
    "Entrega pendiente más antigua",
    "Plus ancienne livraison en attente",
    "Lượt gửi đến hạn lâu nhất",
  ),
  none_due: localize("none is late", "ninguna con retraso", "aucune en retard", "không có lượt nào trễ"),
  no_traffic: localize(
    "no recent events",
    "sin eventos recientes",
    "aucun événement récent",
    "chưa có sự kiện gần đây",
  ),
  incidents: localize("Incidents", "Incidentes", "Incidents", "Sự cố"),
  no_incidents: localize(
    "No incidents in the last 90 days.",
    "Ningún incidente en los últimos 90 días.",
    "Aucun incident au cours des 90 derniers jours.",
    "Không có sự cố trong 90 ngày qua.",
  ),
  ongoing: localize("Ongoing", "En curso", "En cours", "Đang diễn ra"),
  updated: localize("Updated: :time", "Actualizado: :time", "Mis à jour : :time", "Cập nhật: :time"),
} satisfies Record<string, Translations>

/** Looks up a string of the status page. */
export const t = createTranslator(STRINGS)
