-- Records of a report that cannot be true, of which nothing counts.
ALTER TABLE domain_reports ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0;
