// Confirmation messages of the media API.
import type { Translations } from "../../core/i18n/locale"

export const FOLDER_TRASHED: Translations = {
  en: "The folder was moved to the trash.",
  es: "La carpeta se movió a la papelera.",
  fr: "Le dossier a été placé dans la corbeille.",
  vi: "Thư mục đã được chuyển vào thùng rác.",
}

export const FOLDER_DELETED: Translations = {
  en: "The folder was deleted.",
  es: "La carpeta se eliminó.",
  fr: "Le dossier a été supprimé.",
  vi: "Thư mục đã được xóa.",
}

export const FOLDERS_DELETED: Translations = {
  en: "The folders were deleted.",
  es: "Las carpetas se eliminaron.",
  fr: "Les dossiers ont été supprimés.",
  vi: "Các thư mục đã được xóa.",
}

export const FILE_TRASHED: Translations = {
  en: "The file was moved to the trash.",
  es: "El archivo se movió a la papelera.",
  fr: "Le fichier a été placé dans la corbeille.",
  vi: "Tệp đã được chuyển vào thùng rác.",
}

export const FILE_DELETED: Translations = {
  en: "The file was deleted.",
  es: "El archivo se eliminó.",
  fr: "Le fichier a été supprimé.",
  vi: "Tệp đã được xóa.",
}

export const FILES_DELETED: Translations = {
  en: "The files were deleted.",
  es: "Los archivos se eliminaron.",
  fr: "Les fichiers ont été supprimés.",
  vi: "Các tệp đã được xóa.",
}
