-- CreateTable
CREATE TABLE "JmapUserValue" (
    "accountId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "objectId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "values" TEXT NOT NULL,

    PRIMARY KEY ("accountId", "type", "objectId", "userId")
) WITHOUT ROWID;

-- CreateIndex
CREATE INDEX "JmapUserValue_userId_idx" ON "JmapUserValue"("userId");
