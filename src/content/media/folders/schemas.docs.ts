// Documents the API fields of media folders.
import { documentFields } from "../../../core/http/field-docs"
import { CreateFolder, DeleteFolders, FolderResource, FolderWithFiles, ListFolders, UpdateFolder } from "./schemas"

const parentId = { description: "Id of the parent folder; 0 for the root.", example: 0 }

documentFields(ListFolders, {
  folder_id: { description: "Id of the parent folder; 0 for the root." },
  trashed: { description: "Set to `true` to list the trash instead." },
})

documentFields(CreateFolder, { name: { description: "Name of the folder.", example: "Lookbook" }, parent_id: parentId })

documentFields(UpdateFolder, { name: { description: "New name.", example: "Lookbook 2026" }, parent_id: parentId })

documentFields(DeleteFolders, { folders: { description: "Ids of the folders.", example: [3, 4] } })

documentFields(FolderResource, {
  name: { description: "Name of the folder.", example: "Lookbook" },
  slug: { description: "Identifier in paths.", example: "lookbook" },
  parent_id: parentId,
})

documentFields(FolderWithFiles, { files: { description: "Files directly in the folder." } }, FolderResource)
