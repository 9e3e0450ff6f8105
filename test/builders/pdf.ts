/**
 * A PDF with a page for each text, in the font that every reader has.
 * @param extra entries of the catalog, and of each page
 */
export function pdfOf(
  texts: readonly string[],
  extra: { readonly catalog?: string; readonly page?: string } = {},
): Uint8Array {
  const kids = texts.map((_, at) => `${4 + 2 * at} 0 R`).join(' ')
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${extra.catalog ?? ''} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${texts.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...texts.flatMap((text, at) => {
      const drawing = `BT /F1 24 Tf 40 340 Td (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents ${5 + 2 * at} 0 R /Resources << /Font << /F1 3 0 R >> >> ${extra.page ?? ''} >>`,
        `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
      ]
    }),
  ]
  let file = '%PDF-1.7\n'
  const offsets = objects.map((object, at) => {
    const offset = file.length
    file += `${at + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Uint8Array.from(Buffer.from(file, 'latin1'))
}
