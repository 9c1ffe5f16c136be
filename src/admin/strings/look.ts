// The texts of the page about the shop's theme and colors.

export const EN = {
  look: {
    title: "Look",
    themes: "Themes",
    colors: "Colors and typefaces",
    current: "In use",
    use: "Use this look",
    preview: "Front page of the shop in this look",
    open_preview: "Open the preview",
    needs: (apps: string) => `This theme installs ${apps}.`,
  },
  notices: { look_changed: "Look changed." },
}

type Texts = typeof EN

export const ES: Texts = {
  look: {
    title: "Aspecto",
    themes: "Temas",
    colors: "Colores y tipografías",
    current: "En uso",
    use: "Usar este aspecto",
    preview: "Portada de la tienda con este aspecto",
    open_preview: "Abrir la vista previa",
    needs: (apps) => `Este tema instala ${apps}.`,
  },
  notices: { look_changed: "Aspecto cambiado." },
}

export const FR: Texts = {
  look: {
    title: "Apparence",
    themes: "Thèmes",
    colors: "Couleurs et polices",
    current: "Utilisée",
    use: "Utiliser cette apparence",
    preview: "Page d'accueil de la boutique avec cette apparence",
    open_preview: "Ouvrir l'aperçu",
    needs: (apps) => `Ce thème installe ${apps}.`,
  },
  notices: { look_changed: "Apparence modifiée." },
}

export const VI: Texts = {
  look: {
    title: "Giao diện",
    themes: "Chủ đề",
    colors: "Màu sắc và kiểu chữ",
    current: "Đang dùng",
    use: "Dùng giao diện này",
    preview: "Trang chủ của cửa hàng với giao diện này",
    open_preview: "Mở bản xem trước",
    needs: (apps) => `Chủ đề này cài đặt ${apps}.`,
  },
  notices: { look_changed: "Đã đổi giao diện." },
}
