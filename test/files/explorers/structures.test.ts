import { describe, expect, it } from 'vitest'
import { explored } from './explored.ts'

const YAML = `# settings
apiVersion: v1
kind: Config
spec:
  replicas: 3
  labels: {app: web, "tier": front}
  ports: [80, 443]
  containers:
  - name: web
    image: nginx:1.2
    args:
    - -v
    - --port=80
  - name: db
    image: postgres
    on: true
  text: |
    free: text
    - here
  empty:
  'quoted key': ~
last: 2024-05-01
`

describe('the summary of YAML', () => {
  it('names keys at every depth with their values', async () => {
    const { type, summary } = await explored(YAML, { name: 'a.yaml' })
    expect(type).toBe('yaml')
    expect(summary).toContain('object {apiVersion, kind, spec, last}')
    expect(summary).toContain('- kind: "Config"')
    expect(summary).toContain('- last: time 2024-05-01')
    expect(summary).toContain('- spec: object {replicas, labels, ports, containers, text, empty, quoted key}')
    expect(summary).toContain('- spec.replicas: integer 3')
    expect(summary).toContain('- spec.labels: object {app, tier}')
    expect(summary).toContain('- spec.ports: array of 2: integer 80 to 443')
    expect(summary).toContain('- spec.containers: array of 2 objects {name, image, args?, on?}')
    expect(summary).toContain('- spec.text: "free: text - here"')
    expect(summary).toContain('- spec.empty: always null')
    expect(summary).toContain('- spec.quoted key: always null')
    expect(summary).toContain('- spec.containers[].args: array of 2: "-v", "--port=80"')
  })

  it('names a key that stands behind a question mark, and the members of a set', async () => {
    const { summary } = await explored('pairs:\n  ? left\n  : 1\nset:\n  ? one\n  ? two\n', { name: 'a.yaml' })
    expect(summary).toContain('- pairs: object {left}')
    expect(summary).toContain('- set: object {one, two}')
  })

  it('counts the documents of a stream', async () => {
    const { summary } = await explored('---\na: 1\n---\na: 2\nb: x\n...\n', { name: 'a.yml' })
    expect(summary).toContain('2 documents, each an object {a, b?}')
    expect(summary).toContain('- a: integer 1 to 2')
  })
})

describe('the summary of TOML', () => {
  it('lists the tables with their keys and how often a list of tables has an item', async () => {
    const text = `title = "x"\n[package]\nname = "lcm"\nversion = "1.0"\n[package.meta]\nkeys = [\n  [1, 2],\n]\n[[bin]]\nname = "a"\n[[bin]]\nname = "b"\nbig = """\n[not a table]\n"""\n`
    const { type, summary } = await explored(text, { name: 'Cargo.toml' })
    expect(type).toBe('toml')
    expect(summary).toContain('4 tables, 7 keys')
    expect(summary).toContain('- at the top: title "x"')
    expect(summary).toContain('- [package]: name "lcm"; version "1.0"')
    expect(summary).toContain('- [package.meta]: keys array of 1 array')
    expect(summary).toContain('- [[bin]]: 2 times: name "a", "b"; big "[not a table]"')
  })
})

describe('the summary of XML', () => {
  it('counts elements with their attributes and texts', async () => {
    const items = Array.from(
      { length: 40 },
      (_, n) => `<item id="${n}" kind="${n % 2 ? 'a' : 'b'}"><name>N${n}</name><price>${n}.5</price></item>`,
    )
    const { type, summary } = await explored(
      `<?xml version="1.0"?>\n<!-- list -->\n<list made="2024-01-01">${items.join('\n')}</list>`,
    )
    expect(type).toBe('xml')
    expect(summary).toContain('The root is <list>; 121 elements, nested 3 deep.')
    expect(summary).toContain('- list/item: 40 times, object {@id, @kind, name, price}')
    expect(summary).toContain('- list/item/@id: integer 0 to 39')
    expect(summary).toContain('- list/item/@kind: one of "a", "b"')
    expect(summary).toContain('- list/item/price: 40 times, number 0.5 to 39.5')
  })
})

describe('the summary of HTML', () => {
  it('has title, headings, fields, links and the beginning of the text', async () => {
    const { type, summary } = await explored(
      '<!DOCTYPE html><html><head><title>Shop &amp; more</title><style>p{}</style></head><body><h1>Offers</h1><p id="intro">Cheap <b>things</b>.</p><a href="/cart">Cart</a><form><input name="email" type="email"></form><script>let x = "<h1>"</script></body></html>',
    )
    expect(type).toBe('html')
    expect(summary).toContain('The title is "Shop & more".')
    expect(summary).toContain('- Offers: h1')
    expect(summary).toContain('- email: email')
    expect(summary).toContain('- Cart: /cart')
    expect(summary).toContain('Cheap things.')
    expect(summary).not.toContain('let x')
  })
})

describe('the summary of a notebook', () => {
  it('has headings, imports and definitions', async () => {
    const cell = (kind: string, ...source: string[]) => ({
      cell_type: kind,
      metadata: {},
      source,
      outputs: [{ output_type: 'stream', text: ['x'] }],
    })
    const notebook = {
      cells: [
        cell('markdown', '# Sales\n', 'text'),
        cell('code', 'import pandas as pd\n', 'def load(path):\n', '    pass'),
        cell('code', 'class Model:\n'),
      ],
      metadata: { kernelspec: { display_name: 'Python 3' }, language_info: { name: 'python' } },
      nbformat: 4,
    }
    const { type, summary } = await explored(JSON.stringify(notebook, null, 1))
    expect(type).toBe('notebook')
    expect(summary).toContain('3 cells (1 markdown, 2 code), 3 outputs.')
    expect(summary).toContain('Language: python, Python 3.')
    expect(summary).toContain('Imports: pandas.')
    expect(summary).toContain('- Sales')
    expect(summary).toContain('- def load(path)')
    expect(summary).toContain('- class Model')
  })
})
