// Collects the outcome of named checks.

export class Report {
  passed = 0;
  failed = 0;

  /** Runs one check; what it throws is its failure. */
  async check(name, run) {
    try {
      await run();
      this.passed += 1;
      console.log(`ok    ${name}`);
    } catch (error) {
      this.failed += 1;
      console.log(`FAIL  ${name}\n      ${String(error?.message ?? error).replaceAll('\n', '\n      ')}`);
    }
  }
}

export function expect(condition, text) {
  if (!condition) throw new Error(text);
}
