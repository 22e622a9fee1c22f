-- CreateTable
CREATE TABLE "JmapTask" (
    "accountId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "due" BIGINT NOT NULL,
    "attempts" BIGINT NOT NULL,
    "error" TEXT,

    PRIMARY KEY ("accountId", "id")
);

-- CreateIndex
CREATE INDEX "JmapTask_due_idx" ON "JmapTask"("due");
