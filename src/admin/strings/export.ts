// The texts of the page that exports the shop's data.

export const EN = {
  export: {
    title: "Export",
    body: "An archive with everything in your shop: products, orders, customers, texts, messages and files. Passwords and other secrets are not in it.",
    format: "It is a tar file. The tables are lines of JSON (NDJSON), the files are as you uploaded them.",
    mail: (email: string) => `It is created in the background. ${email} gets a link that works for 24 hours.`,
    start: "Create archive",
    once_a_day: "An archive can be created once a day.",
    next: (when: string) => `The next one can be created from ${when}.`,
    archives: "Archives",
    created: "Created",
    status: "Status",
    size: "Size",
    contents: "Contents",
    until: "Available until",
    none: "There is no archive at the moment.",
    phases: { running: "In progress", done: "Ready", failed: "Failed" },
    counts: (rows: string, files: string) => `${rows} rows, ${files} files`,
    download: "Download",
  },
  notices: { export_started: "The archive is being created. You'll get an email when it is ready." },
}

type Texts = typeof EN

export const ES: Texts = {
  export: {
    title: "Exportar",
    body: "Un archivo con todo lo que hay en su tienda: productos, pedidos, clientes, textos, mensajes y archivos. No contiene contraseñas ni otros secretos.",
    format: "Es un archivo tar. Las tablas son líneas de JSON (NDJSON) y los archivos están tal como los subió.",
    mail: (email) => `Se crea en segundo plano. ${email} recibe un enlace que funciona durante 24 horas.`,
    start: "Crear archivo",
    once_a_day: "Se puede crear un archivo al día.",
    next: (when) => `El próximo se podrá crear a partir del ${when}.`,
    archives: "Archivos",
    created: "Creado",
    status: "Estado",
    size: "Tamaño",
    contents: "Contenido",
    until: "Disponible hasta",
    none: "No hay ningún archivo en este momento.",
    phases: { running: "En preparación", done: "Listo", failed: "Falló" },
    counts: (rows, files) => `${rows} filas, ${files} archivos`,
    download: "Descargar",
  },
  notices: { export_started: "El archivo se está creando. Recibirá un correo cuando esté listo." },
}

export const FR: Texts = {
  export: {
    title: "Export",
    body: "Une archive avec tout ce qui se trouve dans votre boutique : produits, commandes, clients, textes, messages et fichiers. Elle ne contient ni mots de passe ni autres secrets.",
    format:
      "C’est un fichier tar. Les tables sont des lignes de JSON (NDJSON), les fichiers sont tels que vous les avez téléversés.",
    mail: (email) => `Elle est créée en arrière-plan. ${email} reçoit un lien valable 24 heures.`,
    start: "Créer l’archive",
    once_a_day: "Une archive peut être créée une fois par jour.",
    next: (when) => `La prochaine pourra être créée à partir du ${when}.`,
    archives: "Archives",
    created: "Créée",
    status: "Statut",
    size: "Taille",
    contents: "Contenu",
    until: "Disponible jusqu’au",
    none: "Il n’y a pas d’archive pour le moment.",
    phases: { running: "En cours", done: "Prête", failed: "Échec" },
    counts: (rows, files) => `${rows} lignes, ${files} fichiers`,
    download: "Télécharger",
  },
  notices: { export_started: "L’archive est en cours de création. Vous recevrez un e-mail quand elle sera prête." },
}

export const VI: Texts = {
  export: {
    title: "Xuất dữ liệu",
    body: "Một tệp nén chứa mọi thứ trong cửa hàng: sản phẩm, đơn hàng, khách hàng, bài viết, tin nhắn và tệp. Tệp không chứa mật khẩu hay thông tin bí mật nào khác.",
    format: "Đây là tệp tar. Các bảng là những dòng JSON (NDJSON), các tệp giữ nguyên như khi tải lên.",
    mail: (email) => `Tệp được tạo ở chế độ nền. ${email} sẽ nhận liên kết có hiệu lực trong 24 giờ.`,
    start: "Tạo tệp nén",
    once_a_day: "Mỗi ngày có thể tạo một tệp nén.",
    next: (when) => `Có thể tạo tệp tiếp theo từ ${when}.`,
    archives: "Tệp nén",
    created: "Đã tạo",
    status: "Trạng thái",
    size: "Kích thước",
    contents: "Nội dung",
    until: "Có thể tải đến",
    none: "Hiện không có tệp nén nào.",
    phases: { running: "Đang tạo", done: "Sẵn sàng", failed: "Thất bại" },
    counts: (rows, files) => `${rows} dòng, ${files} tệp`,
    download: "Tải xuống",
  },
  notices: { export_started: "Đang tạo tệp nén. Bạn sẽ nhận được email khi hoàn tất." },
}
