// Copies the rows and files of a fixture that takes many requests, so that each test file creates it once.
import { env } from "cloudflare:workers"
import { DATABASES, emptyStorage } from "./empty-storage"
import { type RowCopy, readRows, writeRows } from "./schema"
import { continueAfterSerial, getLastSerial } from "./serial"

const BUCKETS = [env.MEDIA, env.UPDATES, env.BACKUPS, env.ARCHIVE]

interface FileCopy {
  bucket: R2Bucket
  key: string
  bytes: ArrayBuffer
  options: R2PutOptions
}

interface Copy<Fixture> {
  fixture: Fixture
  /** The rows of each database. */
  rows: RowCopy[][]
  files: FileCopy[]
  lastSerial: number
}

/**
 * Returns a function that replaces all rows and files by a fixture: it creates the fixture at its first call, and copies
 * it at later ones. Durable Objects are not copied, and only rows of `DATABASES`.
 * @param make creates the fixture, and returns what identifies it, such as an id
 */
export function reuseFixture<Fixture>(make: () => Promise<Fixture>): () => Promise<Fixture> {
  let copy: Copy<Fixture> | undefined
  return async () => {
    if (!(await emptyStorage())) throw new Error("a fixture cannot replace the rows of a changed schema")
    if (copy) {
      await writeCopy(copy)
      return copy.fixture
    }
    const fixture = await make()
    const [rows, files] = await Promise.all([readDatabases(), readFiles()])
    copy = { fixture, rows, files, lastSerial: getLastSerial() }
    return fixture
  }
}

const readDatabases = (): Promise<RowCopy[][]> =>
  Promise.all(DATABASES.map(([database, migrations]) => readRows(database, migrations)))

async function readFiles(): Promise<FileCopy[]> {
  const files = BUCKETS.map(async (bucket) => {
    const { objects } = await bucket.list()
    return Promise.all(objects.map(({ key }) => readFile(bucket, key)))
  })
  return (await Promise.all(files)).flat()
}

async function readFile(bucket: R2Bucket, key: string): Promise<FileCopy> {
  const object = await bucket.get(key)
  if (!object) throw new Error(`no file ${key}`)
  const { httpMetadata, customMetadata, checksums } = object
  const options = { httpMetadata, customMetadata, ...(checksums.sha256 && { sha256: checksums.sha256 }) }
  return { bucket, key, bytes: await object.arrayBuffer(), options }
}

async function writeCopy({ rows, files, lastSerial }: Copy<unknown>): Promise<void> {
  continueAfterSerial(lastSerial)
  await Promise.all([
    ...DATABASES.map(([database], index) => writeRows(database, rows[index] ?? [])),
    ...files.map(({ bucket, key, bytes, options }) => bucket.put(key, bytes, options)),
  ])
}
