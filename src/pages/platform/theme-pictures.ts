// Made by `npm run theme-pictures`: hashes of the pictures in assets/themes, by theme.
export const THEME_PICTURES: Readonly<Record<string, string>> = {
  atelier: "ede13bebf6f88f24",
  nocturne: "fbb981bbaf109a55",
  bazaar: "898a92811300184a",
  vitrine: "fa2ddb8ab3b5bf83",
}
