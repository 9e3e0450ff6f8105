import { describe, expect, it } from 'vitest'
import type { FileType } from '#core/files/explorers/file-type.ts'
import { explored, exploredSource, generatedSource } from './explored.ts'

type Sample = {
  readonly type: FileType
  readonly name: string
  readonly code: string
  readonly holds: readonly string[]
}

const SAMPLES: readonly Sample[] = [
  {
    type: 'typescript',
    name: 'a.ts',
    code: `import { readFile } from 'node:fs'
export interface Shape { area(): number }
type Id = string
export class Circle implements Shape {
  #r = 1
  constructor(r: number) { this.#r = r }
  area(): number { return 3 * this.#r }
}
const LIMIT = 5
export const double = (n: number): number => n * 2
function helper<T>(one: T, { two }: { two: number }): T { return one }
`,
    holds: [
      'Imports node:fs.',
      '- interface Shape (line 2); 1 member: area(): number',
      '- class Circle implements Shape (line 4); 2 members: constructor(r: number); area(): number',
      '- type Id (line 3)',
      '- double = (n: number): number (line 10)',
      '- function helper<T>(one: T, { two }: { two: number }): T (line 11)',
      '- LIMIT',
    ],
  },
  {
    type: 'typescript',
    name: 'a.tsx',
    code: `import React from 'react'\nexport function View({ a }: Props) { return <b title="x">{a}</b> }\n`,
    holds: ['Imports react.', 'function View({ a }: Props)'],
  },
  {
    type: 'javascript',
    name: 'a.mjs',
    code: `import x from './x.mjs'\nexport default class Box { open() {} }\nasync function* walk(tree) {}\nlet count = 0\n`,
    holds: ['Imports ./x.mjs.', '- class Box (line 2); 1 member: open()', 'function* walk(tree)', 'count'],
  },
  {
    type: 'python',
    name: 'a.py',
    code: `import os\nfrom typing import List\n\n@decorated\ndef load(path: str, *, deep=False) -> List[str]:\n    def inner():\n        pass\n\nclass Store(Base):\n    def get(self, key): ...\n\nLIMIT = 3\n`,
    holds: [
      'Imports os, typing.',
      'def load(path: str, *, deep=False) -> List[str] (line 5)',
      '- class Store(Base): (line 9); 1 member: get(self, key)'.replace('):', ')'),
      'LIMIT',
    ],
  },
  {
    type: 'rust',
    name: 'a.rs',
    code: `use std::io::Read;\npub struct Point { x: f64 }\nimpl Point {\n    pub fn new(x: f64) -> Self { Point { x } }\n}\nimpl Drop for Point { fn drop(&mut self) {} }\npub trait Draw { fn draw(&self); }\nfn main() {}\nconst MAX: u32 = 3;\nmod inner { pub fn deep() {} }\n`,
    holds: [
      'std::io::Read',
      '- pub struct Point (line 2); 2 members: new(x: f64) -> Self; drop(&mut self)',
      '- pub trait Draw (line 7); 1 member: draw(&self)',
      '- fn main() (line 8)',
      'MAX',
      '- mod inner (line 10); 1 member: deep()',
    ],
  },
  {
    type: 'go',
    name: 'a.go',
    code: `package main\n\nimport (\n\t"fmt"\n\t"net/http"\n)\n\ntype Server struct { port int }\n\nfunc (s *Server) Run(port int) error { return nil }\n\nfunc main() { fmt.Println() }\n\nconst Max = 3\n`,
    holds: [
      'Imports fmt, net/http.',
      '- Server struct (line 8); 1 member: Run(port int) error',
      '- func main() (line 12)',
      'Max',
    ],
  },
  {
    type: 'java',
    name: 'A.java',
    code: `package a.b;\nimport java.util.List;\npublic class Shop<T> extends Base {\n  public Shop(int n) {}\n  @Override public List<T> all() { return null; }\n  enum Kind { A }\n}\n`,
    holds: [
      'Imports java.util.List.',
      '- public class Shop<T> extends Base (line 3); 2 members: Shop(int n); List<T> all()',
      'Shop.Kind',
    ],
  },
  {
    type: 'c',
    name: 'a.c',
    code: `#include <stdio.h>\n#include "b.h"\n#define MAX 5\ntypedef struct node { int x; } node_t;\nstatic int *find(node_t *list, int x);\nint main(int argc, char **argv) { return 0; }\n#ifdef X\nvoid only_x(void) {}\n#endif\nint counter;\n`,
    holds: [
      'Imports stdio.h, b.h.',
      'MAX',
      'node_t',
      'static int *find(node_t *list, int x)',
      'int main(int argc, char **argv)',
      'only_x',
    ],
  },
  {
    type: 'cpp',
    name: 'a.cpp',
    code: `#include <vector>\nnamespace shop {\ntemplate <typename T> class Cart : public Base {\n public:\n  void add(T item);\n  int size() const { return 0; }\n};\nint Cart_total(const std::vector<int>& all) { return 0; }\n}\n`,
    holds: [
      'Imports vector.',
      'shop.Cart: class Cart : public Base (line 3); 2 members: void add(T item); int size() const',
      'namespace shop (line 2); 1 member: int Cart_total(const std::vector<int>& all)',
    ],
  },
  {
    type: 'csharp',
    name: 'A.cs',
    code: `using System.Text;\nnamespace Shop {\n  public class Cart : Base {\n    public int Count { get; set; }\n    public Cart(int n) {}\n    public async Task Add(string name) { }\n  }\n  public interface IThing { void Go(); }\n}\n`,
    holds: [
      'Imports System.Text.',
      '- public class Cart : Base (line 3); 3 members: int Count; Cart(int n); async Task Add(string name)',
      '- public interface IThing (line 8); 1 member: void Go()',
    ],
  },
  {
    type: 'ruby',
    name: 'a.rb',
    code: `require 'json'\nmodule Shop\n  class Cart < Base\n    LIMIT = 1\n    def add(item, count: 1)\n    end\n    def self.build\n    end\n  end\nend\n`,
    holds: [
      'Imports json.',
      '- module Shop (line 2)',
      'Shop.Cart: class Cart < Base (line 3); 2 members: add(item, count: 1); self.build',
    ],
  },
  {
    type: 'php',
    name: 'a.php',
    code: `<?php\nnamespace Shop;\nuse App\\Base;\nclass Cart extends Base {\n  public function add(string $item): void {}\n}\nfunction total(array $all) { return 0; }\n`,
    holds: [
      'App\\Base',
      '- class Cart extends Base (line 4); 1 member: add(string $item): void',
      'function total(array $all)',
    ],
  },
  {
    type: 'shell',
    name: 'a.sh',
    code: `#!/bin/bash\nROOT=/tmp\nbuild() {\n  echo hi\n}\nfunction clean { rm -f x; }\n`,
    holds: ['build', 'clean', 'ROOT'],
  },
  {
    type: 'code',
    name: 'a.kt',
    code: `import kotlin.io.println\n\ndata class Point(val x: Int)\n\nfun distance(a: Point, b: Point): Double {\n}\n`,
    holds: ['kotlin.io.println', 'data class Point', 'fun distance(a: Point, b: Point): Double'],
  },
]

describe('the outline of a source file', () => {
  it.each(SAMPLES)('names imports, types and functions of $name', async ({ type, name, code, holds }) => {
    const exploration = await explored(code, { name })
    expect(exploration.type).toBe(type)
    for (const text of holds) expect(exploration.summary).toContain(text)
    expect(exploration.summary).not.toContain('does not follow parts of it')
  })

  it.each(
    SAMPLES.filter(
      ({ type, name }) => type !== 'code' && type !== 'php' && type !== 'shell' && name !== 'a.tsx' && name !== 'a.mjs',
    ),
  )('is made without a name, too: $name', async ({ type, code }) => {
    const names = code.repeat(4)
    const found = (await explored(names)).type
    expect(type === 'c' && found === 'cpp' ? 'c' : found).toBe(type)
  })

  it('says when the grammar does not follow parts of it, and describes the others', async () => {
    const { summary } = await explored('function good(a) { return a }\n}}}} ((( = = class\n', { name: 'a.js' })
    expect(summary).toContain('does not follow parts of it: they are wrong, or newer than the grammar.')
    expect(summary).toContain('function good(a)')
  })

  it('counts all members of a type, each once, and imports of one module once', async () => {
    const methods = Array.from({ length: 350 }, (_, n) => `  step${n}(at: number): void { this.at = ${n} }`)
    const overloads = ['  put(one: string): void', '  put(one: number): void', '  put(one: unknown): void {}']
    const imports = ["import { a } from './a.ts'", "import { b } from './a.ts'"]
    const code = [...imports, 'class Big {', ...methods, ...overloads, '}', 'function last() {}', ''].join('\n')
    const { summary } = await explored(code, { name: 'big.ts' })
    expect(summary).toContain('352 functions, 1 type')
    expect(summary).toContain('Imports ./a.ts.')
    expect(summary).toContain('class Big (line 3); 351 members: step0(at: number): void; step1(at: number): void')
    expect(summary).toContain('- function last() (line 358)')
    expect(summary).not.toContain('more')
  })

  it('is made line by line for a file of many megabytes', async () => {
    const source = generatedSource(
      60_000,
      (n) => `export function handler${n}(request: Request, reply: Reply): void { reply.send(${n}) }`,
      { name: 'big.ts' },
    )
    expect(source.sizeBytes).toBeGreaterThan(4_000_000)
    const { summary, tokens } = await exploredSource(source)
    expect(summary).toContain('60,000 lines, 60,000 functions')
    expect(summary).toContain('too long for the grammar of its language and was read line by line')
    expect(summary).toContain('handler1(request: Request')
    expect(tokens).toBeLessThanOrEqual(500)
    expect(tokens).toBeGreaterThanOrEqual(200)
  })
})
