import { describe, expect, it } from 'vitest'
import { explored, exploredSource, generatedSource } from './explored.ts'

describe('the summary of a log', () => {
  it('has times, levels, the lines that recur, and the first and last error', async () => {
    const line = (n: number) =>
      n === 700 || n === 1900
        ? `2024-03-05T10:00:00.${100 + (n % 900)}Z ERROR [db] connection ${n} refused`
        : `2024-03-05T10:00:0${n % 9}.000Z ${n % 10 === 0 ? 'WARN slow query' : 'INFO request'} ${n} took ${n * 3} ms`
    const { type, summary, tokens } = await exploredSource(generatedSource(2000, line))
    expect(type).toBe('log')
    expect(summary).toContain('2,000 lines, 2,000 with a time (ISO times)')
    expect(summary).toContain('Levels: INFO 1,800, WARN 198, ERROR 2.')
    expect(summary).toContain('- first, line 701: 2024-03-05T10:00:00.800Z ERROR [db] connection 700 refused')
    expect(summary).toContain('- last, line 1,901:')
    expect(summary).toContain('- 1,800× INFO request # took # ms')
    expect(summary).toContain('from 2024-03-05T10:00:00.000Z to 2024-03-05T10:00:08.000Z')
    expect(tokens).toBeLessThanOrEqual(500)
  })

  it.each([
    ['syslog times', 'Nov 23 11:19:31 host kernel: [12.5] usb 1-1: new device'],
    ['times of a web server', '127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326'],
    ['times of day', '[12:44] <ann> hello there'],
  ])('knows %s', async (format, line) => {
    const { type, summary } = await explored(`${line}\n`.repeat(10))
    expect(type).toBe('log')
    expect(summary).toContain(format)
  })
})

const DIFF = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,4 @@ export function first() {
 one
--- two
+++ three
+four
 five
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,1 @@
+hello
diff --git a/old.bin b/old.bin
deleted file mode 100644
Binary files a/old.bin and /dev/null differ
`

describe('the summary of a diff', () => {
  it('lists the files with what happens to each, and takes no line of a hunk for a header', async () => {
    const { type, summary } = await explored(DIFF)
    expect(type).toBe('diff')
    expect(summary).toContain('3 files changed, 3 lines added, 1 removed.')
    expect(summary).toContain('- src/a.ts: +2 −1 in 1 hunk in export function first() {')
    expect(summary).toContain('- new.txt: new, +1 −0 in 1 hunk')
    expect(summary).toContain('- old.bin: deleted, +0 −0 in 0 hunks')
  })
})

const SQL = `-- MySQL dump 10.13
/* setup; not a statement */
CREATE TABLE IF NOT EXISTS \`users\` (
  \`id\` int(11) NOT NULL AUTO_INCREMENT,
  name varchar(80) DEFAULT 'a, (b;',
  PRIMARY KEY (\`id\`)
);
INSERT INTO users (id, name) VALUES (1, 'it''s; (x)'), (2, 'b\\'; c');
INSERT INTO users VALUES (3, "y");
CREATE UNIQUE INDEX users_name ON users (name);
CREATE OR REPLACE FUNCTION add(a int) RETURNS int AS $body$ SELECT 1; SELECT 2; $body$ LANGUAGE sql;
COPY public.orders (id, total) FROM stdin;
1\t2.50
2\t9.99
\\.
SELECT * FROM users;
`

describe('the summary of SQL', () => {
  it('has tables with columns and rows, other objects, and the kinds of statements', async () => {
    const { type, summary } = await explored(SQL)
    expect(type).toBe('sql')
    expect(summary).toContain('MySQL dump 10.13')
    expect(summary).toContain('7 statements: CREATE 3, INSERT 2, COPY 1, SELECT 1.')
    expect(summary).toContain('5 rows of data.')
    expect(summary).toContain('- users: id int(11), name varchar(80); 3 rows')
    expect(summary).toContain('- public.orders: id, total; 2 rows')
    expect(summary).toContain('- index users_name')
    expect(summary).toContain('- function add')
  })
})
