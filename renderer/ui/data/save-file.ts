/** Gives a file to the user as a download. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser may read the address later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
