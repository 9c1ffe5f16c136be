// Documents the API fields of media files.
import { documentFields } from "../../../core/http/field-docs"
import { DeleteFiles, FileResource, ListFiles, UpdateFile, UploadFields } from "./schemas"

const folderId = { description: "Id of the folder; 0 for the root.", example: 0 }

const alt = {
  description: "Text for readers who cannot see the picture; null for none.",
  example: "A wool coat from the front",
}

documentFields(ListFiles, {
  folder_id: { description: "Id of the folder; 0 for the root." },
  limit: { description: "Items per page; values above 100 count as 100." },
  trashed: { description: "Set to `true` to list the trash instead." },
})

documentFields(UpdateFile, {
  name: { description: "New file name.", example: "coat-front.jpg" },
  folder_id: { ...folderId, description: "Id of the folder to move the file to; 0 for the root." },
  alt,
})

documentFields(UploadFields, { folder_id: folderId })

documentFields(DeleteFiles, { files: { description: "Ids of the files.", example: [11, 12] } })

documentFields(FileResource, {
  name: { description: "File name.", example: "coat.jpg" },
  url: {
    description: "Public URL, which stays the same when the file is renamed or moved.",
    example: "https://acme.example/media/01K4YQZ0M8T3V6N9R2B5C7D1EF/coat.jpg",
  },
  size: { description: "Size in bytes.", example: 183_204 },
  mime_type: { description: "Media type, detected from the content.", example: "image/jpeg" },
  alt: { ...alt, example: null },
  folder_id: folderId,
})
