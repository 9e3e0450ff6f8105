type Entry = { readonly files?: object; readonly unpacked?: boolean }

/** The part of electron-builder and of the reader of archives that tests use. */
type Packager = {
  readonly Platform: { readonly LINUX: { createTarget(type: string): object } }
  build(options: object): Promise<readonly string[]>
  listPackage(archive: string, options: { readonly isPack: boolean }): string[]
  statFile(archive: string, path: string): Entry
  extractFile(archive: string, path: string): Buffer
  extractAll(archive: string, folder: string): void
}
export function loadPackager(): Promise<Packager>
