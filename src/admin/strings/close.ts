// The texts of the page that closes the shop, and of the reasons why one is closed.

export const EN = {
  close: {
    title: "Close shop",
    heading: (shop: string) => `Close ${shop}?`,
    now: "The shop closes to visitors immediately, and its subscription ends. You won't be charged again.",
    until: (day: string) =>
      `You can open it again with a plan under Billing until ${day}. Then its products, orders, customers, posts and files are deleted for good.`,
    stays: "Invoices stay with the platform, because the law requires it.",
    export_first: "Download everything first:",
    name: (shop: string) => `Type the shop's name: ${shop}`,
    password: "Your password",
    submit: "Close shop",
    by_card:
      "Our payment provider charges your card for this shop. End the subscription there first: under Billing, choose “Update card or cancel”. The shop closes when the subscription ends.",
    link: "Close this shop",
  },
  reasons: {
    cancelled: (since: string) => `This shop was closed on ${since}, when its subscription was cancelled.`,
    unpaid: (since: string) => `This shop has been closed since ${since}, because its subscription is not paid.`,
    purged: (day: string) => `Its data is deleted on ${day}.`,
    said: (reason: string) => `Reason: ${reason}`,
  },
  notices: { shop_closed: "The shop is closed." },
}

type Texts = typeof EN

export const ES: Texts = {
  close: {
    title: "Cerrar la tienda",
    heading: (shop) => `¿Cerrar ${shop}?`,
    now: "La tienda se cierra de inmediato a los visitantes y su suscripción termina. No se le cobrará nada más.",
    until: (day) =>
      `Puede abrirla de nuevo con un plan en Facturación hasta el ${day}. Después se eliminan definitivamente sus productos, pedidos, clientes, entradas y archivos.`,
    stays: "La plataforma conserva las facturas, porque la ley lo exige.",
    export_first: "Descargue antes todos los datos:",
    name: (shop) => `Escriba el nombre de la tienda: ${shop}`,
    password: "Su contraseña",
    submit: "Cerrar la tienda",
    by_card:
      "Nuestro proveedor de pagos cobra esta tienda en su tarjeta. Termine primero la suscripción allí: en Facturación, elija «Cambiar la tarjeta o cancelar». La tienda se cierra cuando termina la suscripción.",
    link: "Cerrar esta tienda",
  },
  reasons: {
    cancelled: (since) => `Esta tienda se cerró el ${since}, al cancelarse su suscripción.`,
    unpaid: (since) => `Esta tienda está cerrada desde el ${since}, porque su suscripción no está pagada.`,
    purged: (day) => `Sus datos se eliminarán el ${day}.`,
    said: (reason) => `Motivo: ${reason}`,
  },
  notices: { shop_closed: "La tienda está cerrada." },
}

export const FR: Texts = {
  close: {
    title: "Fermer la boutique",
    heading: (shop) => `Fermer ${shop} ?`,
    now: "La boutique est immédiatement fermée aux visiteurs et son abonnement prend fin. Plus rien ne vous sera facturé.",
    until: (day) =>
      `Vous pouvez la rouvrir avec un forfait sous Facturation jusqu’au ${day}. Ensuite, ses produits, commandes, clients, articles et fichiers sont supprimés définitivement.`,
    stays: "La plateforme conserve les factures, car la loi l’exige.",
    export_first: "Téléchargez d’abord toutes les données :",
    name: (shop) => `Saisissez le nom de la boutique : ${shop}`,
    password: "Votre mot de passe",
    submit: "Fermer la boutique",
    by_card:
      "Notre prestataire de paiement débite votre carte pour cette boutique. Résiliez d’abord l’abonnement chez lui : sous Facturation, choisissez « Changer de carte ou résilier ». La boutique ferme à la fin de l’abonnement.",
    link: "Fermer cette boutique",
  },
  reasons: {
    cancelled: (since) => `Cette boutique a été fermée le ${since}, à la résiliation de son abonnement.`,
    unpaid: (since) => `Cette boutique est fermée depuis le ${since}, car son abonnement n’est pas payé.`,
    purged: (day) => `Ses données seront supprimées le ${day}.`,
    said: (reason) => `Motif : ${reason}`,
  },
  notices: { shop_closed: "La boutique est fermée." },
}

export const VI: Texts = {
  close: {
    title: "Đóng cửa hàng",
    heading: (shop) => `Đóng ${shop}?`,
    now: "Cửa hàng đóng ngay với khách và gói đăng ký kết thúc. Bạn sẽ không bị thu tiền nữa.",
    until: (day) =>
      `Bạn có thể mở lại bằng một gói trong mục Thanh toán đến ngày ${day}. Sau đó sản phẩm, đơn hàng, khách hàng, bài viết và tệp sẽ bị xóa vĩnh viễn.`,
    stays: "Nền tảng giữ lại hóa đơn theo yêu cầu của pháp luật.",
    export_first: "Hãy tải toàn bộ dữ liệu về trước:",
    name: (shop) => `Nhập tên cửa hàng: ${shop}`,
    password: "Mật khẩu của bạn",
    submit: "Đóng cửa hàng",
    by_card:
      "Nhà cung cấp thanh toán trừ tiền cửa hàng này vào thẻ của bạn. Trước tiên hãy hủy gói tại đó: trong mục Thanh toán, chọn “Đổi thẻ hoặc hủy gói”. Cửa hàng đóng khi gói đăng ký kết thúc.",
    link: "Đóng cửa hàng này",
  },
  reasons: {
    cancelled: (since) => `Cửa hàng này đã đóng vào ngày ${since}, khi gói đăng ký bị hủy.`,
    unpaid: (since) => `Cửa hàng này đã đóng từ ngày ${since}, vì gói đăng ký chưa được thanh toán.`,
    purged: (day) => `Dữ liệu sẽ bị xóa vào ngày ${day}.`,
    said: (reason) => `Lý do: ${reason}`,
  },
  notices: { shop_closed: "Cửa hàng đã đóng." },
}
