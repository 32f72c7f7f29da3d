import { describe, expect, test } from 'vitest';
import { escapeHtml, markup, toSafeText, trustMarkup } from '#files/report/html/html-page.ts';

describe('markup', () => {
  test('escapes values, in elements and in attributes', () => {
    const name = `"><script>alert('1')</script>&amp;`;
    expect(markup`<p title="${name}">${name}</p>`.html).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</p>',
    );
  });

  test('inserts markup and lists of it as they are, and nothing for undefined', () => {
    const items = ['a', 'b<'].map((item) => markup`<li>${item}</li>`);
    expect(markup`<ul>${items}</ul>${undefined}${0}${trustMarkup('<hr>')}`.html).toBe(
      '<ul><li>a</li><li>b&lt;</li></ul>0<hr>',
    );
  });
});

describe('a text of others', () => {
  test.each([
    ['a NUL', 'a\0b', 'a\ufffdb'],
    ['control characters', 'a\x07\x1b[31mb\x7f\x85', 'a\ufffd\ufffd[31mb\ufffd\ufffd'],
    ['characters that reverse what follows', 'invoice\u202egnp.exe', 'invoice\ufffdgnp.exe'],
    ['lone surrogates', 'a\ud83db', 'a\ufffdb'],
    ['line separators', 'a\r\nb\u2028c', 'a\nb\nc'],
  ])('%s cannot harm the page', (_, text, safe) => {
    expect(toSafeText(text)).toBe(safe);
  });

  test('keeps letters of every script, their marks and emoji', () => {
    const text = 'Zoë Việt हिन्दी ภาษาไทย עִבְרִית مُحَمَّد 👩‍👩‍👧‍👦 🏳️‍🌈 1️⃣ \u200eLRM\u200f';
    expect(toSafeText(text)).toBe(text);
    expect(escapeHtml(text)).toBe(text);
  });

  test('has at most six marks on a letter', () => {
    expect(toSafeText(`a${'\u0301'.repeat(500)}b`)).toBe(`a${'\u0301'.repeat(6)}b`);
  });
});
